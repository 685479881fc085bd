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

// "what(): NCCL error in: …" is thrown where nobody catches it: as the objects of a program that failed before are
// destroyed.
bool said_at_the_end(const Facts& facts) {
  const Symptom* line = facts.first({{failed, "nccl"}});
  return of_its_own(facts) && line && line->text.or_empty().find("what():  NCCL") != std::string::npos;
}

bool said_first(const Facts& facts) { return of_its_own(facts) && !said_at_the_end(facts); }

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
              {{failed, "nccl"}, likely, said_first},
              {{failed, "nccl"}, possible, said_at_the_end},
              {{failed, "nccl-network"}, likely, of_its_own},
              {{timed_out, "nccl"}, possible, of_its_own},
              {{slow, "nccl-connection"}, possible, of_its_own},
              {{failed, "nccl-cuda-call"}, possible, of_its_own},
          },
  };
}

}  // namespace envdoctor::runtime_nccl
