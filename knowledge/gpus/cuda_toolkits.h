#pragma once
// The contents of CUDA toolkits and the GPUs that their code runs on (cuda_driver.json, libraries.json).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/codes/names.h"

namespace envdoctor::knowledge {

// The libraries that toolkits of this CUDA major ("12") ship or need, in table order.
std::vector<Soname> sonames_of_cuda(std::string_view major);

struct ToolkitTargets {
  std::string lowest{};               // "5.0"
  std::string highest{};              // empty: not recorded
  std::vector<std::string> native{};  // the targets that nvcc accepts; empty: not recorded
};
// The compute capabilities that a toolkit ("12.4" or "12.4.1") can build for. nullopt: not recorded.
std::optional<ToolkitTargets> targets_of_toolkit(std::string_view cuda);
// The first toolkit that supports this capability ("9.0" -> "11.8"), and the last one before it was dropped ("3.5" ->
// "11.8"). nullopt: not recorded, or not dropped.
std::optional<std::string> first_toolkit_for(std::string_view compute_capability);
std::optional<std::string> last_toolkit_for(std::string_view compute_capability);

// Machine code built for one capability runs on another of the same major with an equal or higher minor.
bool native_code_runs(std::string_view built_for, std::string_view device);
// The driver compiles intermediate code (PTX) for any equal or newer capability.
bool ptx_runs(std::string_view built_for, std::string_view device);

// cuDriverGetVersion's number as a text: 12040 -> "12.4".
std::string cuda_version_text(std::int64_t number);

}  // namespace envdoctor::knowledge
