#include "checks/engine/rule.h"

namespace envdoctor::cpu_numa_remote {

using enum SymptomClass;

Diagnosis diagnosis() {
  return {
      .id = "cpu.numa-remote",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The process runs on the CPU socket far from its GPU",
      .claim = "GPU and process belong to different NUMA nodes, so every copy crosses the link between the sockets.",
      .proof = "The process's CPUs and the GPU belong to different NUMA nodes.",
      .disproof = "The process's CPUs are those of the GPU's node.",
      .remedy = "Bind the process to the GPU's NUMA node.",
      .symptoms = {helped_by("near-memory"), {{limited, "numa-distance"}, Confidence::likely}},
  };
}

}  // namespace envdoctor::cpu_numa_remote
