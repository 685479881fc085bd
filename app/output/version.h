#pragma once
#include <string>

namespace envdoctor {

// What --version prints: the version, then with what it was built and what it carries.
std::string version_text();

}  // namespace envdoctor
