#include "checks/engine/rule.h"

namespace envdoctor::expect_driver {
Diagnosis diagnosis() {
  return {
      .id = "expect.driver",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The driver is not of the expected version",
      .claim = "The driver's version, or the highest CUDA or ROCm version, is not what was asked for.",
      .proof = "The version that was read lies outside the range.",
      .disproof = "The version lies in the expected range.",
      .remedy = "Install a driver of the expected version, or correct the expectation.",
  };
}

}  // namespace envdoctor::expect_driver
