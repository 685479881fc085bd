#pragma once
// How much memory of the GPUs that CUDA shows to a program is free, which processes use the rest, and which of them
// caused an out-of-memory error, by its messages.
#include "checks/facts/presence.h"

namespace envdoctor::memory {

struct GpuMemory {
  std::size_t index = 0;  // in /nvidia/devices
  std::int64_t total_mib = 0, free_mib = 0;
};

struct GpuMemories {
  std::vector<GpuMemory>
      gpus{};             // without cards that are split into MIG instances: the card's total says nothing about those
  bool all_known = true;  // false: some GPU's free memory is unknown
};
// For the devices in NVML's list, which must be known.
GpuMemories visible_gpu_memory(const Snapshot& snapshot);

// Whether so little is free that a framework can hardly start.
bool nearly_full(const GpuMemory& gpu);

// "gpu:0000:65:00.0", or "cuda:0" where the address is unknown.
std::string subject_of(const Snapshot& snapshot, const GpuMemory& gpu);

// "120 of 40960 MiB", as evidence.
Evidence free_memory_seen(const GpuMemory& gpu);

// The known processes on this GPU, as text and evidence; empty: none.
std::string holders(const Snapshot& snapshot, const GpuMemory& gpu, std::vector<Evidence>& evidence);

enum class Holder {
  program,   // the program itself
  others,    // other processes
  fragments  // the program holds enough unused memory, but in pieces that are too small
};

struct Exhaustion {
  const Symptom* symptom = nullptr;
  Holder holder = Holder::program;
};

// "1.4 GiB" in MiB; negative: no number.
double mib_of(const std::string& text);

// The allocation that failed on a GPU; none: no program reports one.
std::optional<Exhaustion> exhaustion_of(const Facts& facts);

// A program's own figure of the free memory at its start, before it allocates, if that is little; null: enough, or
// no program reports it.
const Symptom* little_free_at_start(const Facts& facts);

// A cuDNN, cuBLAS or cuSOLVER handle that couldn't be created, without a version mismatch: the remaining cause
// is that its memory is already in use. Null where an allocation failed as well.
const Symptom* handle_without_memory(const Facts& facts);

// The import of a framework that takes most of a GPU's memory when it starts, JAX or TensorFlow; null: none is shown.
const Symptom* import_that_takes_all(const Facts& facts);

// What a process holds of its GPU's memory, from 0 to 1; 0 where its GPU or the total is not known.
double share_of_gpu(const Snapshot& snapshot, const NvidiaProcess& process);

// The line of the kernel or the kubelet that ended a process at the memory limit of its cgroup, which the text states;
// null: none, or it was the machine's memory that ran out.
const Symptom* ended_at_limit(const Facts& facts);

// What helps a process that the machine's memory, or the job's share of it, is too small for.
constexpr const char* more_host_memory =
    "Ask for more memory (sbatch --mem, docker run --memory, the pod's limit), or load less at a time: fewer workers, "
    "smaller pieces of the data.";

}  // namespace envdoctor::memory
