#pragma once
// The embedded tables, as bytes. Typed look-ups are in the other headers of this folder.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// The bytes of knowledge/<name>.json: from the folder given to use_folder() if it has that file, otherwise embedded.
std::string_view table(std::string_view name);
// --knowledge DIR. Call it before the first look-up. Throws std::runtime_error naming the file if one can't be read.
void use_folder(const std::string& folder);
std::vector<std::string> table_names();

}  // namespace envdoctor::knowledge
