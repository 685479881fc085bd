#include "checks/engine/rule.h"

namespace envdoctor::runtime_nccl {

using enum SymptomClass;

bool no_shm(const Facts& facts) {
  return !facts.saw({{exhausted, "shared-memory"},
                     {unsupported, "peer-access"},
                     {exhausted, "gpu-memory"},
                     {exhausted, "cuda-memory"},
                     {too_old, "driver"},
                     {duplicate, "nccl-gpu"},
                     {missing, "cuda-kernel-image"},
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
              {{failed, "nccl"}, likely, no_shm},
              {{failed, "nccl-network"}, likely, no_shm},
              {{timed_out, "nccl"}, possible, no_shm},
              {{slow, "nccl-connection"}, possible, no_shm},
              {{failed, "nccl-cuda-call"}, possible, no_shm},
          },
  };
}

}  // namespace envdoctor::runtime_nccl
