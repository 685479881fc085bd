#pragma once
// Whether somebody else is using a GPU, so that kernels nobody asked for stay off it.
#include "evidence/snapshot.h"
#include "kernels/device.h"

namespace envdoctor::kernels {

struct Occupancy {
  enum class Use { free, busy, unknown } use = Use::unknown;
  std::string why{};  // "process 4711 computes there"; empty if free
};

// By what NVML says of the card with the target's PCI address (a CUDA ordinal's, where its address is known). CPUs are
// always free: the scheduler shares them.
Occupancy occupancy_of(const Target& target, const Snapshot& snapshot);

}  // namespace envdoctor::kernels
