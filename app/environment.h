#pragma once
#include <map>
#include <string>

namespace envdoctor {

// This process's environment. Of a name that stands there twice the first counts, as for getenv.
std::map<std::string, std::string> environment();

}  // namespace envdoctor
