#pragma once
#include <string>
#include <vector>

namespace envdoctor::knowledge {

// The lists of gpu_arch.json that stand in the index.
inline const std::vector<const char*> indexed_gpu_lists = {"nvidia_devices", "amd_devices", "intel_devices",
                                                           "nvidia_codenames", "amd_codenames", "nvidia_notes",
                                                           "capability_facts"};

// Lines sorted by id, with a tab behind each field; the build makes them, so that no start has to read 1,600 rows.
// A device has its id, chip, architecture (Intel's only, whose rows tell it), name, and "disputed" if its chip and the
// capability that its maker lists contradict each other; "chip:NAME" has its architecture, compute capability and gfx,
// "capability:8.0" its architecture, and "fact:NAME" the compute capability from which on it is true.
std::string gpu_devices_index();

}  // namespace envdoctor::knowledge
