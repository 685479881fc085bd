#include "checks/engine/rule.h"

namespace envdoctor::expect_waiver_expired {
Diagnosis diagnosis() {
  return {
      .id = "expect.waiver-expired",
      .layer = Layer::hardware,
      .severity = Severity::warning,
      .title = "A waiver has expired",
      .claim = "The last day of a waiver lies before the day on which this evidence was gathered.",
      .proof = "The waiver's last day and the day on which the evidence was gathered.",
      .disproof = "The waiver's last day has not passed.",
      .remedy = "Fix what was waived, or set a later last day.",
  };
}

}  // namespace envdoctor::expect_waiver_expired
