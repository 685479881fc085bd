// runtime.cudnn-missing: the framework looks for cuDNN by name, but there is no copy.
#include "checks/engine/rule.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::runtime_cudnn_missing {

using enum SymptomClass;

void judge(const Facts& facts, Answers& answers) { judge_framework_libraries(facts, answers); }

bool no_cuda_in_library_path(const Facts& facts) { return !cuda_in_library_path(facts); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.cudnn-missing",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "cuDNN is not found",
      .claim = "The CUDA libraries are there, and no cuDNN of the major version that the framework asks for.",
      .proof = "The framework can't open its cuDNN while its other libraries open.",
      .disproof = "The dynamic loader finds that cuDNN.",
      .remedy = "Install the cuDNN package that the framework names into the same environment.",
      .explains = {"usage.detected-unused"},
      .symptoms =
          {
              {{missing, "jax-library"}, likely, no_cuda_in_library_path, "library", "cuDNN"},
              {{missing, "cudnn-of-theano"}, likely},
              {{missing, "any-library"}, possible, unnamed_and_unused, "library", "cudnn"},
          },
      .judge = judge,
      .complete = name_library_packages,
  };
}

}  // namespace envdoctor::runtime_cudnn_missing
