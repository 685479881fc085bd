#include "checks/engine/rule.h"

namespace envdoctor::runtime_cuda_mismatch {

using enum SymptomClass;

// CuPy shows the CUDA that it was built with and the one that it found.
void judge(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{noted, "linked-and-local-cuda"}});
  if (!line) return answers.not_applicable("no program tells which CUDA it has and which it was built with");
  if (line->detail("linked") == line->detail("local")) return answers.passed();
  Finding& finding = answers.found_in(*line, Confidence::likely, "framework:cupy");
  finding.explanation = fmt::format("CuPy was built with CUDA {}, and the libraries that it finds are of CUDA {}.",
                                    line->detail("linked"), line->detail("local"));
  finding.fix = {{.text = fmt::format("Install the build for the CUDA that is here (cupy-cuda{0}x), or CUDA {1}.",
                                      line->detail("local"), line->detail("linked"))}};
}

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
      .judge = judge,
  };
}

}  // namespace envdoctor::runtime_cuda_mismatch
