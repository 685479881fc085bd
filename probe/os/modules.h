#pragma once
// Which kernel modules matter here.
#include <string_view>

namespace envdoctor {

// Whether a module of this name drives GPUs, or conflicts with one that does.
bool is_gpu_module(std::string_view name);

}  // namespace envdoctor
