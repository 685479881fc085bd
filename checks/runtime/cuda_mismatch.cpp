#include <fmt/format.h>

#include "checks/engine/rule.h"
#include "checks/facts/version_range.h"
#include "knowledge/frameworks/frameworks.h"

namespace envdoctor::runtime_cuda_mismatch {

using enum SymptomClass;

int major_of(const std::string& version) { return std::atoi(version.c_str()); }

// The CUDA that the user claims to have installed, compared with the one that TensorFlow loads: up to 2.4 the same
// release, later any of the same major version. Only where TensorFlow lists no GPU.
void judge_stated(const Facts& facts, Answers& answers) {
  const Symptom* stated = facts.first({{noted, "stated-cuda"}});
  const Tensorflow* tensorflow = facts.snapshot().tensorflow.get();
  if (!stated || !tensorflow || !tensorflow->physical_gpus.is(0) || facts.used() ||
      facts.saw({{missing, "library"}, {missing, "cuda-libraries"}, {missing, "gpu-support"}}))
    return;
  const std::string version = tensorflow->version.or_empty();
  const auto needs = knowledge::tensorflow_needs(version);
  if (!needs || needs->cuda.empty()) return;
  const std::string here = stated->detail("version");
  const bool fits = in_range(version, ">=2.5").is(true) ? major_of(here) == major_of(needs->cuda) : here == needs->cuda;
  if (fits) return;
  Finding& finding = answers.found_in(*stated, Confidence::likely, "framework:tensorflow");
  finding.explanation = fmt::format("TensorFlow {} was built for CUDA {}, and the CUDA here is said to be {}.", version,
                                    needs->cuda, here);
  finding.evidence.push_back(evidence("/tensorflow/physical_gpus", "0"));
  finding.fix = {{.text = fmt::format("Install CUDA {} with cuDNN {}, or a TensorFlow that was built for CUDA {}.",
                                      needs->cuda, needs->cudnn, here)}};
}

// nvcc of a CUDA that is older than the compiler of the host. A program that can't be built says nothing of the GPU.
void judge_host_compiler(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{unsupported, "host-compiler"}});
  if (!line) return;
  Finding& finding = answers.found_in(*line, Confidence::possible);
  finding.title = "The CUDA toolkit does not accept the host compiler";
  finding.explanation =
      "Each nvcc accepts host compilers up to a version of its time; the one that it was given is newer.";
  finding.fix = {{.text = "Install the newest compiler that the message names, and pass it on: nvcc -ccbin g++-N, "
                          "NVCC_PREPEND_FLAGS='-ccbin g++-N', or cmake -DCMAKE_CUDA_HOST_COMPILER=g++-N. Or install a "
                          "newer CUDA toolkit."}};
}

// CuPy prints the CUDA that it was built with and the one that it found.
void judge(const Facts& facts, Answers& answers) {
  judge_stated(facts, answers);
  judge_host_compiler(facts, answers);
  const Symptom* line = facts.first({{noted, "linked-and-local-cuda"}});
  if (!line) return answers.not_applicable("no program tells which CUDA it has and which it was built with");
  if (line->detail("linked") == line->detail("local")) return answers.passed();
  Finding& finding = answers.found_in(*line, Confidence::likely, "framework:cupy");
  finding.explanation = fmt::format("CuPy was built with CUDA {}, and the libraries that it finds are of CUDA {}.",
                                    line->detail("linked"), line->detail("local"));
  finding.fix = {{.text = fmt::format("Install the build for the CUDA that is here (cupy-cuda{0}x), or CUDA {1}.",
                                      line->detail("local"), line->detail("linked"))}};
}

// A package whose files are missing says nothing of versions.
bool package_whole(const Facts& facts) { return !facts.saw({{missing, "package-file"}}); }

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
              {{mismatch, "cuda-version"}, likely, package_whole},
              {{too_old, "jax-library"}, likely},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::runtime_cuda_mismatch
