#pragma once
// AMD's compute driver as the kernel shows it, without ROCm's libraries.
#include <string>
#include <string_view>

#include "evidence/gpu_stacks.h"
#include "host/files/files.h"

namespace envdoctor {

// ROCm's version, the kernel driver's, and the GPU nodes of /sys/class/kfd in topology order.
Rocm read_kfd(const Files& files);

// A target as the kernel numbers it, in decimal pairs: 90010 -> "gfx90a", 110501 -> "gfx1151".
Text gfx_name(std::int64_t gfx_target_version);

}  // namespace envdoctor
