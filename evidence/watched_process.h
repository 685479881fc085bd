#pragma once
// A process and its descendants, watched from outside: a document of its own, `envdoctor.process/1`.
#include "evidence/fields.h"
#include "evidence/pci.h"

namespace envdoctor {

// A GPU library that one of the processes had mapped.
struct ProcessLibrary {
  Text library{};  // as knowledge/frameworks/process_libraries.json calls it: cuda, cudnn, tensorflow, …
  Text path{};
  Text version{};
  Text origin{};  // pip, conda, toolkit, system
  ENVDOCTOR_FIELDS(ProcessLibrary, library, path, version, origin)
};

// A GPU on which the processes were seen.
struct ProcessGpu {
  Text seen_by{};  // nvml, or drm
  Number index{};  // as nvidia-smi counts
  Text uuid{};
  Text pci_address{};
  Text name{};
  Text driver{};        // of the DRM client: amdgpu, i915, xe, …
  Real busy_percent{};  // by these processes, on average since they were first seen on it
  Number peak_memory_mib{};
  Number samples{};
  ENVDOCTOR_FIELDS(ProcessGpu, seen_by, index, uuid, pci_address, name, driver, busy_percent, peak_memory_mib, samples)
};

// Where the time went so far, in seconds of the time that it was watched.
struct ProcessTime {
  Real gpu_busy{};      // of the busiest GPU
  Real copying{};       // between host and GPU
  Real storage{};       // some process of the tree waited for a disk
  Real runnable{};      // some process of the tree was ready to run
  Real cpu{};           // spent by all processes on all cores
  Number memory_mib{};  // held on GPUs at the last sample
  ENVDOCTOR_FIELDS(ProcessTime, gpu_busy, copying, storage, runnable, cpu, memory_mib)
};

struct ProcessUse {
  Number pid{};        // of the first
  Text program{};      // its name
  Number processes{};  // how many there were, descendants included
  Real seconds{};      // how long it was watched
  Number samples{};
  List<std::string> nodes{};  // GPU nodes that they held open, sorted
  List<ProcessLibrary> libraries{};
  List<ProcessGpu> gpus{};  // failed: why this is unknown
  Number opens{};           // how often any process opened a GPU node meanwhile
  Map<Text> env{};          // GPU variables the first was started with
  Text unreadable{};        // a process of the tree that could not be inspected, and why; absent: none
  Text outside{};           // why its work may run outside the tree; absent: no reason known
  Reading<ProcessTime> time{};
  ENVDOCTOR_FIELDS(ProcessUse, pid, program, processes, seconds, samples, nodes, libraries, gpus, opens, env,
                   unreadable, outside, time)
};

// One round of asking NVML.
struct RoundDevice {
  Number index{};
  Text uuid{};
  Text name{};
  Number utilization_percent{};
  Real copying_percent{};  // of its PCIe link's bandwidth; queried only where the time is broken down
  ENVDOCTOR_FIELDS(RoundDevice, index, uuid, name, utilization_percent, copying_percent)
};
struct RoundProcess {
  Number pid{};
  Number gpu{};
  Number memory_mib{};
  Real busy_percent{};  // of the multiprocessors, since the round before
  ENVDOCTOR_FIELDS(RoundProcess, pid, gpu, memory_mib, busy_percent)
};
struct NvmlRound {
  List<RoundDevice> devices{};
  List<RoundProcess> processes{};
  ENVDOCTOR_FIELDS(NvmlRound, devices, processes)
};

struct Watched {
  List<DeviceNode> device_nodes{};
  Reading<ProcessUse> process{};
  Reading<NvmlRound> round{};  // only between the watcher and its background child
  ENVDOCTOR_FIELDS(Watched, device_nodes, process, round)
};

std::string to_json(const Watched& watched);
// Throws BadDocument (evidence/json.h), naming `source`.
Watched watched_from_json(std::string_view text, const std::string& source);

}  // namespace envdoctor
