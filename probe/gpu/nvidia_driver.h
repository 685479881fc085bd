#pragma once
// What NVIDIA's kernel driver reports in /proc, without its libraries.
#include <string_view>

#include "evidence/fields.h"
#include "evidence/gpu_stacks.h"
#include "host/files/files.h"

namespace envdoctor {

// Version, kind, the GPUs it holds, NVSwitches and the fabric manager. UUIDs are complete: redaction comes later.
Nvidia read_nvidia_proc(const Files& files);

// The first line of /proc/driver/nvidia/version: "550.54.15", and "open" or "proprietary".
Text nvrm_version(std::string_view text);
Text nvrm_kind(std::string_view text);
// One /proc/driver/nvidia/gpus/<address>/information.
NvidiaProcGpu parse_gpu_information(std::string_view text);

}  // namespace envdoctor
