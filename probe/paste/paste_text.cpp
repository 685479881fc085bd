#include "probe/paste/paste_text.h"

#include <charconv>

namespace envdoctor {

std::optional<std::string_view> after(std::string_view line, std::string_view key) {
  line = trimmed(line);
  if (!line.starts_with(key)) return std::nullopt;
  return trimmed(line.substr(key.size()));
}

std::optional<std::int64_t> leading_number(std::string_view text) {
  text = trimmed(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() || number < 0) return std::nullopt;
  return number;
}

std::string leading_version(std::string_view text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && (text[end] == '.' || (text[end] >= '0' && text[end] <= '9'))) ++end;
  while (end > 0 && text[end - 1] == '.') --end;
  return std::string(text.substr(0, end));
}

}  // namespace envdoctor
