#include "checks/engine/rule.h"

namespace envdoctor::usage_cuda_after_fork {

using enum SymptomClass;

// JAX asks the driver before it has started it, where its libraries don't fit; it forks nothing.
// Nor does ggml.
bool driver_started(const Facts& facts) {
  return when::driver_starts(facts) && !facts.saw({{failed, "jax-plugin"}}) &&
         !facts.with({used, "gpu"}, "program", "ggml");
}

// In a process that a pool started CUDA answers that it was not initialised, and the parent had named its GPU.
bool in_a_worker(const Facts& facts) {
  return !driver_started(facts) && !facts.driver_dead() && facts.saw({{noted, "worker-of-pool"}}) &&
         !facts.saw({{failed, "cuinit"}, {too_old, "driver"}, {failed, "jax-plugin"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "usage.cuda-after-fork",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "CUDA is used in a process forked after CUDA had started",
      .claim = "A CUDA context doesn't survive fork; every call in the child fails.",
      .proof = "The framework's message, or an initialisation error in a child of a process that used CUDA.",
      .disproof = "The child was spawned, or CUDA starts only in the child.",
      .remedy = "Start worker processes with the spawn method.",
      .symptoms =
          {
              helped_by("started-fresh"),
              {{failed, "cuda-initialization"}, likely, driver_started},
              {{failed, "cuda-initialization"}, likely, in_a_worker},
              {{failed, "cuda-context-of-tensorflow"}, possible, when::no_better_cause},
              {{refused, "cuda-after-fork"}, certain},
          },
  };
}

}  // namespace envdoctor::usage_cuda_after_fork
