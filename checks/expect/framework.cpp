#include "checks/engine/rule.h"

namespace envdoctor::expect_framework {
Diagnosis diagnosis() {
  return {
      .id = "expect.framework",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The framework is not as expected",
      .claim = "The expected framework doesn't list a GPU, or is of another version.",
      .proof = "The framework's own answer in this environment.",
      .disproof = "The framework is installed in this environment, of the expected version, and lists a GPU.",
      .remedy = "Install the expected framework in this environment, as a build for this GPU.",
  };
}

}  // namespace envdoctor::expect_framework
