#pragma once
// Signs that libcuda comes from a CUDA forward-compatibility package and not from the driver.
#include <optional>

#include "checks/driver/nvidia_facts.h"

namespace envdoctor {

// libcuda's path lies in a compat folder.
std::optional<Evidence> compat_path(const Snapshot& snapshot);
// The driver reports a CUDA version that its branch doesn't have ("470 with CUDA 11.7"), or, in a container, libcuda is
// newer than the host's module. Empty: no such sign.
std::vector<Evidence> compat_signs(const Snapshot& snapshot);
// Whether a fault of libcuda should be put down to a compatibility package.
bool compat_library_suspected(const Snapshot& snapshot);

}  // namespace envdoctor
