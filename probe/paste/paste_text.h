#pragma once
// Small helpers for the parsers of reports.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/fields.h"
#include "host/text.h"

namespace envdoctor {

// The trimmed text after `key`, if the line starts with it, ignoring leading blanks.
inline std::optional<std::string_view> after(std::string_view line, std::string_view key) {
  line = trimmed(line);
  if (!line.starts_with(key)) return std::nullopt;
  return trimmed(line.substr(key.size()));
}

// The number a text starts with ("3685MiB" -> 3685).
inline std::optional<std::int64_t> leading_number(std::string_view text) {
  text = trimmed(text);
  return number_of(text.substr(0, text.find_first_not_of("0123456789")));
}

// "12.4", "535.104.05": digits and dots from the start.
inline std::string leading_version(std::string_view text) {
  text = trimmed(text);
  text = text.substr(0, text.find_first_not_of(".0123456789"));
  return std::string(text.substr(0, text.find_last_not_of('.') + 1));
}

// Fills a field that no earlier line has filled; an empty value is ignored.
inline void fill_once(Text& into, std::string_view value) {
  if (!into.get() && !value.empty()) into = std::string(value);
}

}  // namespace envdoctor
