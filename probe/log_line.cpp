#include <algorithm>
#include <cctype>

#include "probe/log.h"

namespace envdoctor {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// ESC [ … letter, and ESC ] … BEL (titles, links), cut out of a copy.
std::string_view without_colours(std::string_view line, std::string& scratch) {
  scratch.clear();
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\x1b') {
      scratch += line[at];
      continue;
    }
    const char kind = at + 1 < line.size() ? line[at + 1] : '\0';
    if (kind == '[') {
      at += 2;
      while (at < line.size() && !std::isalpha(static_cast<unsigned char>(line[at]))) ++at;
    } else if (kind == ']') {
      while (at < line.size() && line[at] != '\a' && line[at] != '\\') ++at;
    } else {
      ++at;
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

// "> " of a mail or an issue, "[rank0]: ", "[pod/trainer-0/main] ".
std::size_t mark(std::string_view line) {
  if (line.starts_with("> ") || line == ">") return std::min<std::size_t>(2, line.size());
  if (line.starts_with("[rank") || line.starts_with("[pod/")) {
    std::size_t at = line.find(']');
    if (at == std::string_view::npos) return 0;
    ++at;
    if (at < line.size() && line[at] == ':') ++at;
    if (at < line.size() && line[at] == ' ') ++at;
    return at;
  }
  return 0;
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
