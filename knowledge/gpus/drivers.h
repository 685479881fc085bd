#pragma once
// NVIDIA driver branches and CUDA toolkits (cuda_driver.json, driver_branches.json). Versions are dotted texts.
#include <optional>
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

// Dotted versions compared number by number; a missing part counts as 0. -1, 0 or 1.
int compare_versions(std::string_view a, std::string_view b);
// "12.4.1" -> "12" and "12.4".
std::string major_of(std::string_view version);
std::string major_minor_of(std::string_view version);

// Lowest Linux driver that runs programs built with this toolkit ("12.4", or "12" for any 12.x): by minor-version
// compatibility from CUDA 11 on, the toolkit's own minimum before. nullopt: not known.
std::optional<std::string> min_driver_for_cuda(std::string_view cuda);
// Highest CUDA version that a driver reports, by its branch ("535.104.05" -> "12.2"). nullopt: not known.
std::optional<std::string> max_cuda_of_driver(std::string_view driver);
// The last driver branch that supports this architecture ("Kepler" -> "470"); nullopt: not known to be dropped.
std::optional<std::string> last_branch_for(std::string_view architecture);
// The first branch that supports this architecture ("Blackwell" -> "570"); nullopt: not recorded.
std::optional<std::string> first_branch_for(std::string_view architecture);

}  // namespace envdoctor::knowledge
