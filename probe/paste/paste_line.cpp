#include <algorithm>
#include <cctype>

#include "probe/paste/log_reader.h"

namespace envdoctor {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// ESC [ … letter, and ESC ] … BEL (titles, links), cut out of a copy.
std::string_view without_colours(std::string_view line, std::string& scratch) {
  scratch.clear();
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::size_t escape = std::min(line.find('\x1b', at), line.size());
    scratch.append(line.substr(at, escape - at));
    if (escape + 1 >= line.size()) break;
    at = escape + 1;
    if (line[at] == '[') {
      do ++at;
      while (at < line.size() && !std::isalpha(static_cast<unsigned char>(line[at])));
    } else if (line[at] == ']') {
      while (at < line.size() && line[at] != '\a' && line[at] != '\\') ++at;
    }
  }
  return scratch;
}

// "2024-05-01T12:00:00.1234567Z " as CI services, kubectl and journald put it before a line.
std::size_t time_stamp(std::string_view line) {
  static constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
  if (line.size() <= form.size()) return 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == 'd' ? !digit(line[i]) : line[i] != form[i]) return 0;
  }
  std::size_t at = form.size();
  while (at < line.size() && (digit(line[at]) || line[at] == '.' || line[at] == '+' || line[at] == ':')) ++at;
  if (at < line.size() && line[at] == 'Z') ++at;
  return at < line.size() && line[at] == ' ' ? at + 1 : 0;
}

// "[rank0]: ", "[default0]:" of torchrun, "[pod/trainer-0/main] ", "[1,0]<stderr>:" of mpirun.
std::size_t bracket_mark(std::string_view line) {
  const bool ranks = line.size() > 3 && digit(line[1]) && line.substr(0, 12).find(']') != std::string_view::npos &&
                     line.find("]<std") != std::string_view::npos;
  if (!ranks && !line.starts_with("[rank") && !line.starts_with("[default") && !line.starts_with("[pod/")) return 0;
  std::size_t at = line.find(ranks ? ">:" : "]");
  if (at == std::string_view::npos) return 0;
  at += ranks ? 2 : 1;
  if (at < line.size() && line[at] == ':') ++at;
  return at < line.size() && line[at] == ' ' ? at + 1 : at;
}

// "(RayTrainWorker pid=812, ip=10.0.0.7) ".
std::size_t process_mark(std::string_view line) {
  const std::size_t end = line.substr(0, 80).find(") ");
  return end != std::string_view::npos && line.substr(0, end).find("pid=") != std::string_view::npos ? end + 2 : 0;
}

// "trainer-1  | " of docker compose.
std::size_t service_mark(std::string_view line) {
  const std::size_t bar = line.substr(0, 66).find('|');
  if (bar == std::string_view::npos || bar < 5 || line.substr(bar - 2, 4) != "  | ") return 0;
  std::string_view name = line.substr(0, bar - 2);
  while (name.ends_with(' ')) name.remove_suffix(1);
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash == 0 || dash + 1 == name.size()) return 0;
  if (name.find_first_not_of("0123456789", dash + 1) != std::string_view::npos) return 0;
  return name.find_first_of(" :|,;=") == std::string_view::npos ? bar + 2 : 0;
}

// "> " of a mail or an issue, and what launchers put before a line to tell whose it is.
std::size_t mark(std::string_view line) {
  if (line.empty()) return 0;
  switch (line[0]) {
    case '>':
      return line.starts_with("> ") || line.size() == 1 ? std::min<std::size_t>(2, line.size()) : 0;
    case '[':
      return bracket_mark(line);
    case '(':
      return process_mark(line);
    default:
      return service_mark(line);
  }
}

}  // namespace

std::string_view plain_log_line(std::string_view line, std::string& scratch) {
  if (line.find('\x1b') != std::string_view::npos) line = without_colours(line, scratch);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  for (;;) {
    std::size_t cut = mark(line);
    if (cut == 0) cut = time_stamp(line);
    if (cut == 0) return line;
    line.remove_prefix(cut);
  }
}

}  // namespace envdoctor
