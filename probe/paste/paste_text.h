#pragma once
// Small tools for the parsers of reports.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "probe/text.h"

namespace envdoctor {

// What stands behind `key` (trimmed), if the line, blanks before it aside, starts with it.
std::optional<std::string_view> after(std::string_view line, std::string_view key);
// The number a text starts with ("3685MiB" -> 3685).
std::optional<std::int64_t> leading_number(std::string_view text);
// "12.4", "535.104.05": digits and dots from the start.
std::string leading_version(std::string_view text);

}  // namespace envdoctor
