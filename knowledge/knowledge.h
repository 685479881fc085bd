#pragma once
// The embedded tables, as bytes. Typed look-ups stand in the headers beside this one.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// The bytes of knowledge/<name>.json: from the folder given to use_folder() if it holds that file, else embedded.
std::string_view table(std::string_view name);
// --knowledge DIR. Must be called before the first look-up. Throws std::runtime_error naming the file if one can't be read.
void use_folder(const std::string& folder);
std::vector<std::string> table_names();

}  // namespace envdoctor::knowledge
