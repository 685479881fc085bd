#pragma once
#include <string>
#include <vector>

namespace envdoctor::knowledge {

// The lists of devices in gpu_arch.json.
inline const std::vector<const char*> gpu_device_lists = {"nvidia_devices", "amd_devices", "intel_devices"};

// Those devices as lines sorted by id: id, chip, architecture (of Intel's, whose rows have it
// themselves) and name, with a tab behind each. The build makes it, so that no start has to read 1500 rows.
std::string gpu_devices_index();

}  // namespace envdoctor::knowledge
