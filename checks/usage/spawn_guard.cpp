#include "checks/engine/rule.h"

namespace envdoctor::usage_spawn_guard {

using enum SymptomClass;

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "usage.spawn-guard",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "The program starts processes without guarding its own start",
      .claim =
          "Where processes are spawned (Windows, macOS, and wherever CUDA is used in them), each new one imports the "
          "program; without if __name__ == \"__main__\" it starts the processes again.",
      .proof = "Python's own words: a process was started before the current one had finished its bootstrapping phase.",
      .disproof = "The call that starts processes stands under if __name__ == \"__main__\".",
      .remedy =
          "Put what starts the processes (a DataLoader with workers, Pool, torch.multiprocessing, vLLM's LLM) into a "
          "function and call it under if __name__ == \"__main__\":.",
      .explains = {"usage.cuda-after-fork"},
      .symptoms = {helped_by("main-guard"), {{missing, "main-guard"}, certain}},
  };
}

}  // namespace envdoctor::usage_spawn_guard
