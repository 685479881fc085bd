#include "checks/engine/rule.h"

namespace envdoctor::expect_stack {
Diagnosis diagnosis() {
  return {
      .id = "expect.stack",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The expected stack does not work on every GPU",
      .claim = "The stack that was asked for is not shown to work up to its runtime on every GPU.",
      .proof = "A layer of that stack is broken or unknown on some GPU.",
      .disproof = "Every layer up to the runtime is ok on every GPU.",
      .remedy = "Fix the first broken layer of that stack.",
  };
}

}  // namespace envdoctor::expect_stack
