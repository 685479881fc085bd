#include "checks/engine/rule.h"

namespace envdoctor::expect_memory {
Diagnosis diagnosis() {
  return {
      .id = "expect.memory",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "There is less memory than expected",
      .claim = "A GPU's memory, or /dev/shm, is smaller than was asked for.",
      .proof = "The size that the driver or the file system reports.",
      .disproof = "It is at least as large as expected.",
      .remedy = "Ask for another GPU or a larger share, or correct the expectation.",
  };
}

}  // namespace envdoctor::expect_memory
