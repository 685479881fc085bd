#include "checks/engine/rule.h"

namespace envdoctor::expect_speed {
Diagnosis diagnosis() {
  return {
      .id = "expect.speed",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "A kernel is slower than expected",
      .claim = "A kernel's rate, or its share of the device's peak, is below what was asked for, or was not measured.",
      .proof = "The slowest GPU's measured rate.",
      .disproof = "The slowest GPU reaches the expected rate.",
      .remedy = "Run 'envdoctor bench' on this host, and compare it with a good one.",
  };
}

}  // namespace envdoctor::expect_speed
