#include "checks/engine/rule.h"

namespace envdoctor::runtime_libdevice_missing {

using enum SymptomClass;

bool ptxas_alone(const Facts& facts) { return facts.all({missing, "libdevice"}).empty() && !facts.used(); }

// The driver compiles in place of ptxas where that is too old or missing.
bool not_by_driver(const Facts& facts) {
  // Where its exit is an exception, nothing else compiles, whatever devices were listed before.
  const auto& refused = facts.all({too_old, "ptxas"});
  const bool ended = std::ranges::any_of(refused, [](const Symptom* line) {
    return line->text.or_empty().find("exited with non-zero") != std::string::npos;
  });
  // A test whose numbers were compared has compiled what it ran.
  const bool went_on = facts.saw({{wrong_result, "numbers"}}) && std::ranges::all_of(refused, [](const Symptom* line) {
                         return line->text.or_empty().find("Falling back to the CUDA driver") != std::string::npos;
                       });
  return (ended || (!facts.used() && !went_on)) && !facts.saw({{harmless, "the driver compiles instead of ptxas"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.libdevice-missing",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "Compiler files that XLA needs are missing",
      .claim = "libdevice or ptxas is missing or too old, so code can't be compiled for the GPU at run time.",
      .proof = "XLA's message names libdevice or ptxas.",
      .disproof = "XLA compiles and runs a function on the GPU.",
      .remedy =
          "Install the nvcc package of the build's CUDA version, or point XLA_FLAGS=--xla_gpu_cuda_data_dir at a "
          "toolkit.",
      .symptoms =
          {
              helped_by("compiler-files"),
              {{missing, "libdevice"}, likely},
              {{missing, "ptxas"}, possible, ptxas_alone},
              // A call ends for want of it, whatever was listed before.
              {{missing, "ptxas-for-call"}, likely},
              {{too_old, "ptxas"}, likely, not_by_driver},
          },
  };
}

}  // namespace envdoctor::runtime_libdevice_missing
