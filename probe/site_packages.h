#pragma once
#include <string>
#include <vector>

#include "host/host.h"

namespace envdoctor {

// The package folders of the active Python, in the order it searches them: of the virtual environment or conda
// environment that is activated, else of the first python on PATH.
std::vector<std::string> site_packages(const Host& host);

}  // namespace envdoctor
