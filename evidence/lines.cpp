#include "evidence/lines.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <sstream>

#include <algorithm>

namespace envdoctor {
namespace {

// Bytes that aren't UTF-8 become U+FFFD, as in the JSON report.
std::string utf8(std::string_view text) {
  const std::string quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string valid = nlohmann::json::parse(quoted).get<std::string>();
  // XML forbids U+FFFE and U+FFFF: EF BF BE, EF BF BF.
  for (auto at = valid.find("\xEF\xBF"); at != valid.npos; at = valid.find("\xEF\xBF", at + 3)) {
    if (static_cast<unsigned char>(valid[at + 2]) >= 0xBE) valid.replace(at, 3, "???");
  }
  return valid;
}

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string printable(std::string_view text) {
  std::string clean;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control characters too: C2 80 to C2 9F. Ends of lines and paragraphs and overrides of
    // direction: E2 80 A8 to AE, E2 81 A6 to A9.
    const auto next = [&](std::size_t n) { return i + n < text.size() ? static_cast<unsigned char>(text[i + n]) : 0; };
    const bool c1 = byte == 0xC2 && i + 1 < text.size() && next(1) < 0xA0;
    const bool bidi = byte == 0xE2 && ((next(1) == 0x80 && next(2) >= 0xA8 && next(2) <= 0xAE) ||
                                       (next(1) == 0x81 && next(2) >= 0xA6 && next(2) <= 0xA9));
    if (c1 || bidi) {
      clean += '?';
      i += c1 ? 1 : 2;
    } else {
      clean += byte == '\n' || byte == '\t' ? ' ' : byte < 0x20 || byte == 0x7F ? '?' : text[i];
    }
  }
  return clean;
}

std::string wrap(std::string_view first, std::string_view text, std::size_t width) {
  const std::string indent(columns(first), ' ');
  std::string out, line(first);
  bool empty = true;
  std::istringstream words(printable(text));  // only blanks separate words
  for (std::string word; words >> word; empty = false) {
    if (!empty && columns(line) + 1 + columns(word) > width) {
      out += line + "\n";
      line = indent;
      empty = true;
    }
    line += (empty ? "" : " ") + word;
  }
  return out + line + "\n";
}

std::string size_text(std::int64_t mib) {
  if (mib < 1024) return fmt::format("{} MiB", mib);
  return fmt::format("{:.1f} GiB", static_cast<double>(mib) / 1024.0);
}

std::string paint(std::string_view text, Color color, bool on) {
  static constexpr const char* codes[] = {"", "31;1", "33;1", "32;1", "1", "2"};  // in the order of Color
  if (!on || color == Color::plain) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", codes[static_cast<std::size_t>(color)], text);
}

std::string clean(std::string_view text) { return printable(utf8(text)); }

std::string clean_lines(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out += clean(text.substr(begin, end - begin));
    if (end < text.size()) out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string shortened(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit) + "...";
}

std::string uri(std::string_view name) {
  std::string out;
  for (const char c : clean(name)) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace envdoctor
