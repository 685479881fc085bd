#pragma once
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

}  // namespace envdoctor::knowledge
