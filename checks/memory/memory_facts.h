#pragma once
// How much memory of the GPUs that CUDA shows to a program is free, who holds the rest, and whose it is that a program
// found used up, by what its messages say.
#include "checks/facts/presence.h"

namespace envdoctor::memory {

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

enum class Holder {
  program,   // the program itself
  others,    // other processes
  fragments  // the program holds enough of it unused, in pieces too small
};

struct Exhaustion {
  const Symptom* symptom = nullptr;
  Holder holder = Holder::program;
};

// The allocation that failed on a GPU; none: no program speaks of one.
std::optional<Exhaustion> exhaustion_of(const Facts& facts);

// A program's own figure of the free memory at its start, before it took any, where that is little; null: enough, or
// no program says.
const Symptom* little_free_at_start(const Facts& facts);

// A cuDNN, cuBLAS or cuSOLVER handle that couldn't be made although nothing says that versions don't fit: what is left
// is that the memory for it is taken already. Null where an allocation failed as well.
const Symptom* handle_without_memory(const Facts& facts);

}  // namespace envdoctor::memory
