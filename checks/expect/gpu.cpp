#include "checks/engine/rule.h"

namespace envdoctor::expect_gpu {
Diagnosis diagnosis() {
  return {
      .id = "expect.gpu",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "A GPU is not of the expected model",
      .claim = "--expect gpu=MODEL was asked for, and a GPU of this job is another.",
      .proof = "The GPU's name, as the driver or the bus gives it.",
      .disproof = "Every GPU's name has the expected model in it.",
      .remedy = "Ask the scheduler for the expected model, or correct the expectation.",
  };
}

}  // namespace envdoctor::expect_gpu
