#pragma once
// CUDA toolkits and ROCm installations by their folders.
#include <string>
#include <vector>

#include "evidence/software.h"
#include "host/host.h"

namespace envdoctor {

// CUDA toolkits under /usr/local, where the environment points, in conda and where distributions put them. A folder
// that several paths lead to is listed once, by its own name.
std::vector<Toolkit> find_toolkits(const Host& host);

// "12.4.1" from the text of version.json, "10.1.243" from version.txt, "13.0" from cuda.h. Failed if it isn't there.
Text version_of_version_json(const std::string& text);
Text version_of_version_txt(const std::string& text);
Text version_of_cuda_header(const std::string& text);

}  // namespace envdoctor
