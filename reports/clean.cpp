// A host's own words made fit for formats that are strict about their text.
#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "reports/lines.h"

namespace envdoctor {
namespace {

// Bytes that aren't UTF-8 become U+FFFD, as in the JSON report.
std::string utf8(std::string_view text) {
  using Json = nlohmann::json;
  std::string valid = Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
  // XML has no place for U+FFFE and U+FFFF: EF BF BE, EF BF BF.
  for (auto at = valid.find("\xEF\xBF"); at != valid.npos; at = valid.find("\xEF\xBF", at + 3)) {
    if (static_cast<unsigned char>(valid[at + 2]) >= 0xBE) valid.replace(at, 3, "???");
  }
  return valid;
}

}  // namespace

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
