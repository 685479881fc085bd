#pragma once
// How much memory of the GPUs that CUDA shows to a program is free, and who holds the rest.
#include "checks/engine/diagnosis.h"

namespace envdoctor {

struct GpuMemory {
  std::size_t index = 0;  // in /nvidia/devices
  std::int64_t total_mib = 0, free_mib = 0;
};

struct GpuMemories {
  std::vector<GpuMemory> gpus{};  // cards that are split into MIG instances are left out: their sum says nothing of those
  bool all_known = true;          // false: of another one the free memory couldn't be told
};
// Of the devices that NVML lists, which must be known.
GpuMemories visible_gpu_memory(const Snapshot& snapshot);

// Whether so little is free that a framework hardly starts.
bool nearly_full(const GpuMemory& gpu);

// "gpu:0000:65:00.0", or "cuda:0" where the address isn't known.
std::string subject_of(const Snapshot& snapshot, const GpuMemory& gpu);

// "120 of 40960 MiB", with its place.
Evidence free_memory_seen(const GpuMemory& gpu);

// The processes on this GPU that are known, as text and evidence; empty: none.
std::string holders(const Snapshot& snapshot, const GpuMemory& gpu, std::vector<Evidence>& evidence);

}  // namespace envdoctor
