#pragma once
// Which devices of a host can compute, and whether another process is using one.
#include "evidence/snapshot.h"
#include "kernels/devices/device.h"

namespace envdoctor::kernels {

// The devices of a snapshot, the host last: each OpenCL device whose driver passed its probe, each CUDA device.
// `layers`: the libOpenCL to call through, as applications do if the user installed layers (OPENCL_LAYERS); empty: the
// drivers are called directly.
std::vector<Target> targets_of(const Snapshot& snapshot, const std::string& layers = "");

struct Occupancy {
  enum class Use { free, busy, unknown } use = Use::unknown;
  std::string why{};  // "process 4711 uses it"; empty if free
};

// According to NVML's data for the card with the target's PCI address (a CUDA ordinal's, where its address is known).
// CPUs are always free: the scheduler shares them.
Occupancy occupancy_of(const Target& target, const Snapshot& snapshot);

}  // namespace envdoctor::kernels
