#include "evidence/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace envdoctor {

Text json_text(std::string_view json, const std::string& pointer) {
  constexpr std::ptrdiff_t deepest = 1000;  // brackets in all; the parser recurses
  if (std::ranges::count_if(json, [](char c) { return c == '[' || c == '{'; }) > deepest)
    return failed("not JSON that a person wrote");
  const auto parsed = nlohmann::json::parse(json.begin(), json.end(), nullptr, false);
  if (parsed.is_discarded()) return failed("not JSON");
  const nlohmann::json::json_pointer where(pointer);
  if (!parsed.contains(where)) return absent("no " + pointer);
  const auto& found = parsed.at(where);
  if (!found.is_string()) return failed(pointer + " is no text");
  return found.get<std::string>();
}

}  // namespace envdoctor
