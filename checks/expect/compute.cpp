#include "checks/engine/rule.h"

namespace envdoctor::expect_compute {
Diagnosis diagnosis() {
  return {
      .id = "expect.compute",
      .layer = Layer::compute,
      .severity = Severity::error,
      .title = "The device's results were not shown to agree with the CPU's",
      .claim =
          "--expect compute=agree was asked for, and a kernel's result lies outside its bound, or none was compared.",
      .proof = "A kernel's result lies outside its bound, or none was compared.",
      .disproof = "Every kernel that ran on a GPU agrees with the CPU within its bound.",
      .remedy = "Run 'envdoctor verify' on this host and look at the kernels that disagree.",
  };
}

}  // namespace envdoctor::expect_compute
