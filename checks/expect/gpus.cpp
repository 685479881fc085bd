#include "checks/engine/rule.h"

namespace envdoctor::expect_gpus {
Diagnosis diagnosis() {
  return {
      .id = "expect.gpus",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "The number of usable GPUs is not the expected one",
      .claim = "--expect gpus=N was asked for, and the host has another number, or it could not be counted.",
      .proof = "Fewer or other GPUs are usable than were asked for.",
      .disproof = "Exactly the expected number of GPUs is found.",
      .remedy = "Compare the list of GPUs with what this host should have.",
  };
}

}  // namespace envdoctor::expect_gpus
