#include "checks/engine/rule.h"

namespace envdoctor::expect_python {
Diagnosis diagnosis() {
  return {
      .id = "expect.python",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "Python is not of the expected version",
      .claim = "The interpreter that is meant has another version than was asked for.",
      .proof = "The interpreter's own version.",
      .disproof = "The version lies in the expected range.",
      .remedy = "Activate the expected environment.",
  };
}

}  // namespace envdoctor::expect_python
