#pragma once
// Which part of a variable's value may be kept.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

// The value of an environment variable, already redacted as text, as far as its name and its form are known: numbers,
// versions, UUIDs, known words, and short plain ones where a wrong word is a diagnosis; paths below system folders or
// `known_paths`. In other paths only known names stay, others become <name>. Nullopt: it has no known form.
std::optional<std::string> known_value(std::string_view name, std::string_view value,
                                       const std::vector<std::string>& known_paths = {});

}  // namespace envdoctor
