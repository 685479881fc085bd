#include "checks/engine/rule.h"

namespace envdoctor::runtime_nccl {

using enum SymptomClass;

// NCCL reports what another fault of the GPU, or of the program, did to its calls.
bool of_its_own(const Facts& facts) {
  return !facts.saw({{exhausted, "shared-memory"},
                     {unsupported, "peer-access"},
                     {exhausted, "gpu-memory"},
                     {exhausted, "cuda-memory"},
                     {too_old, "driver"},
                     {duplicate, "nccl-gpu"},
                     {missing, "cuda-kernel-image"},
                     {crashed, "cuda-kernel"},
                     {missing, "system-initialization"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.nccl",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "Communication between GPUs (NCCL) fails",
      .claim = "NCCL could not set up its connections.",
      .proof = "NCCL's own error, with no other cause in the log.",
      .disproof = "NCCL's own test passes on these GPUs.",
      .remedy = "Run again with NCCL_DEBUG=WARN; the warning names the transport or the resource that failed.",
      .symptoms =
          {
              helped_by("nccl-network"),
              {{failed, "nccl"}, likely, of_its_own},
              {{failed, "nccl-network"}, likely, of_its_own},
              {{timed_out, "nccl"}, possible, of_its_own},
              {{slow, "nccl-connection"}, possible, of_its_own},
              {{failed, "nccl-cuda-call"}, possible, of_its_own},
          },
  };
}

}  // namespace envdoctor::runtime_nccl
