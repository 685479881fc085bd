#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

// What follows from the first of sorted lines, each with a newline at its end, that does not come before `text`.
inline std::string_view lines_from(std::string_view lines, std::string_view text) {
  std::size_t first = 0;
  for (std::size_t end = lines.size(); first < end;) {
    std::size_t line = first + (end - first) / 2;
    while (line > first && lines[line - 1] != '\n') --line;
    const std::size_t next = lines.find('\n', line) + 1;
    if (lines.substr(line, next - 1 - line) < text)
      first = next;
    else
      end = line;
  }
  return lines.substr(first);
}

// The first line with this first field; empty: there is none. Each field has a tab behind it.
inline std::string_view line_of(std::string_view lines, const std::string& id) {
  const std::string begin = id + '\t';
  const std::string_view from = lines_from(lines, begin);
  return from.starts_with(begin) ? from.substr(0, from.find('\n')) : std::string_view();
}

// Cuts the next field off a line; empty where none is left.
inline std::string_view next_field(std::string_view& line) {
  const std::string_view field = line.substr(0, line.find('\t'));
  line.remove_prefix(std::min(line.size(), field.size() + 1));
  return field;
}

}  // namespace envdoctor::knowledge
