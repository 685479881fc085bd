#pragma once
// The small Python programs of probe/ask that frameworks are asked with.
#include <map>
#include <string_view>

namespace envdoctor {

// File name without its end -> text.
const std::map<std::string_view, std::string_view>& ask_scripts();

}  // namespace envdoctor
