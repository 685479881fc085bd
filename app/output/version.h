#pragma once
#include <string>

namespace envdoctor {

// What --version prints: the version, the compiler and the libraries that are linked in.
std::string version_text();

}  // namespace envdoctor
