#pragma once
// Text in lines of at most 80 columns.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

inline constexpr std::size_t line_width = 80;

// Columns a terminal gives this UTF-8 text: code points, close enough for reports.
std::size_t columns(std::string_view text);

// Replaces control characters, so that text from the host can't move the cursor or colour the report.
std::string printable(std::string_view text);

// The same for a format that must be valid UTF-8 without control characters, XML's rules included: as one line, or with
// its line breaks kept.
std::string clean(std::string_view text);
std::string clean_lines(std::string_view text);

// Truncates after `limit` bytes at a character boundary and adds three dots.
std::string shortened(std::string text, std::size_t limit);

// A file's name as a relative URI: every other character is percent-encoded.
std::string uri(std::string_view name);

// Wraps words at `width` columns; the first line begins with `first`, the others with as many blanks. A word
// that is longer than a line gets a line of its own.
std::string wrap(std::string_view first, std::string_view text, std::size_t width = line_width);

// "1,234 MiB" as people read it: 80.0 GiB, 512 MiB.
std::string size_text(std::int64_t mib);

enum class Color { plain, red, yellow, green, bold, dim };
std::string paint(std::string_view text, Color color, bool on);

}  // namespace envdoctor
