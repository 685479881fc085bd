#pragma once
// Small tools for the parsers of reports.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace envdoctor::log_text {

template <class F>
void each_line(std::string_view text, F f) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    f(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text);
// What stands behind `key` (trimmed), if the line, blanks before it aside, starts with it.
std::optional<std::string_view> after(std::string_view line, std::string_view key);
// The number a text starts with ("3685MiB" -> 3685).
std::optional<std::int64_t> leading_number(std::string_view text);
// "12.4", "535.104.05": digits and dots from the start.
std::string leading_version(std::string_view text);

}  // namespace envdoctor::log_text
