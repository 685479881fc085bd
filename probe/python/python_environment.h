#pragma once
#include <string>
#include <vector>

#include "probe/python/python_interpreter.h"
#include "probe/session.h"

namespace envdoctor {

// The Python that this run is about: the one that --python names, else the active one.
Reading<Interpreter> chosen_python(const Host& host, const std::string& named);

// The folders of this Python that can hold packages, in the order of import: PYTHONPATH, the user's own, the
// environment's, each followed by what its .pth files add. The standard library isn't among them.
std::vector<std::string> package_folders(const Host& host, const Interpreter& python);

// The same of the chosen Python; none: no Python.
std::vector<std::string> site_packages(const Host& host, const std::string& named = {});

}  // namespace envdoctor
