#pragma once
// The pages of docs/topics, which the program carries.
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// By the file's name without its ending; empty: no such page.
std::string_view text(std::string_view name);
// All of them, in the order of their names.
std::vector<std::string_view> topics();

}  // namespace envdoctor::knowledge
