#include "checks/engine/rule.h"

namespace envdoctor::runtime_framework_too_old {
Diagnosis diagnosis() {
  return {
      .id = "runtime.framework-too-old",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The framework is older than this GPU or its CUDA",
      .claim = "This version of the framework was released before support for the GPU or the CUDA version existed.",
      .proof = "The release is older than the CUDA or GPU that it should use.",
      .disproof = "A build of this version supports the GPU.",
      .remedy = "Update the framework.",
  };
}

}  // namespace envdoctor::runtime_framework_too_old
