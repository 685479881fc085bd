#pragma once
#include <string_view>

namespace envdoctor {

// What must be seen before this diagnosis is certain or likely, in a sentence. Empty: no such id.
std::string_view proof_needed(std::string_view id);

}  // namespace envdoctor
