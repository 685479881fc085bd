#include "checks/engine/rule.h"

namespace envdoctor::runtime_cuda_mismatch {

using enum SymptomClass;
Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.cuda-mismatch",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The CUDA libraries have another version than the framework was built for",
      .claim = "The libraries that are found belong to another major version of CUDA than the framework was built for.",
      .proof = "The framework reports the version that it found and the version that it was built for.",
      .disproof = "The libraries' versions fit the build.",
      .remedy = "Install the CUDA version that the framework was built for, or the framework's build for this CUDA.",
      .explains = {"runtime.cuda-library-missing"},
      .symptoms =
          {
              {{mismatch, "cuda-version"}, likely},
              {{too_old, "jax-library"}, likely},
          },
  };
}

}  // namespace envdoctor::runtime_cuda_mismatch
