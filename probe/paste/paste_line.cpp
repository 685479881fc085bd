#include <re2/re2.h>

#include <algorithm>
#include <cctype>

#include "host/text.h"
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

// How many bytes at the start of a line are of this form.
std::size_t length_of(const RE2& form, std::string_view line) {
  re2::StringPiece match;
  return form.Match(line, 0, line.size(), RE2::ANCHOR_START, &match, 1) ? match.size() : 0;
}

// "> " of a mail or an issue, and what services and launchers put before a line to tell when it came and whose it is.
std::size_t mark(std::string_view line) {
  // "2024-05-01T12:00:00.1234567Z " as CI services, kubectl and journald put it.
  static const RE2 time_stamp(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.+:]*Z? )", RE2::Latin1);
  // "[rank0]: ", "[default0]:" of torchrun, "[pod/trainer-0/main] ", "[1,0]<stderr>:" of mpirun.
  static const RE2 brackets(R"(\[(?:(?:rank|default|pod/)[^\]]*\]|\d[^\]]{0,9}\]<std.*?>:):? ?)", RE2::Latin1);
  // "(RayTrainWorker pid=812, ip=10.0.0.7) ".
  static const RE2 process(R"(\(.*?pid=.*?\) )", RE2::Latin1);
  // "trainer-1  | " of docker compose.
  static const RE2 service(R"([^ :|,;=]+-\d+ *  \| )", RE2::Latin1);
  if (line.empty()) return 0;
  switch (line[0]) {
    case '>':
      return line.starts_with("> ") || line.size() == 1 ? std::min<std::size_t>(2, line.size()) : 0;
    case '[':
      return length_of(brackets, line);
    case '(':
      return length_of(process, line.substr(0, 80));
    default:
      if (const std::size_t length = digit(line[0]) ? length_of(time_stamp, line) : 0; length > 0) return length;
      return contains(line.substr(0, 66), "|") ? length_of(service, line.substr(0, 68)) : 0;
  }
}

}  // namespace

std::string_view plain_log_line(std::string_view line, std::string& scratch) {
  if (line.find('\x1b') != std::string_view::npos) line = without_colours(line, scratch);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  for (;;) {
    const std::size_t cut = mark(line);
    if (cut == 0) return line;
    line.remove_prefix(cut);
  }
}

}  // namespace envdoctor
