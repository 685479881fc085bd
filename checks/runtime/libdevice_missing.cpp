#include <re2/re2.h>

#include "checks/engine/rule.h"
#include "checks/python/package_facts.h"
#include "knowledge/lazy_regex.h"

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

// The first CUDA whose ptxas takes code of this version ("Release Notes" of NVIDIA's PTX ISA): 7.0 to 7.8 came with
// CUDA 11.0 to 11.8, 8.0 to 8.5 with 12.0 to 12.5, 8.6 to 8.8 with 12.7 to 12.9, 9.0 with 13.0.
std::string cuda_of_ptx(int major, int minor) {
  if (major == 7 && minor <= 8) return fmt::format("11.{}", minor);
  if (major == 8 && minor <= 8) return fmt::format("12.{}", minor + (minor > 5 ? 1 : 0));
  return major == 9 && minor == 0 ? "13.0" : "";
}

void name_compiler(const Facts& facts, Answers& answers) {
  static const LazyRegex refused(R"(Unsupported \.version (\d+)\.(\d+))", RE2::Latin1);
  int major = 0, minor = 0;
  for (const Symptom* line : facts.all({too_old, "ptxas"}))
    if (major == 0) RE2::PartialMatch(line->text.or_empty(), refused, &major, &minor);
  const std::string cuda = cuda_of_ptx(major, minor);
  if (cuda.empty()) return;
  each_without_command(answers, [&](Finding& finding) {
    const std::string series = cuda.substr(0, 2);
    finding.explanation = fmt::format(
        "The code is PTX {}.{}, which ptxas takes from CUDA {} on; an older one was found first.", major, minor, cuda);
    finding.fix = {
        {.text = fmt::format("Install the compiler of CUDA {} or later, and see that no older ptxas comes before "
                             "it in PATH.",
                             cuda)}};
    install_by_pip(facts,
                   series == "13" ? "\"nvidia-cuda-nvcc>=" + cuda + "\""
                                  : fmt::format("\"nvidia-cuda-nvcc-cu{}>={}\"", series, cuda),
                   finding.fix.front());
  });
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
      .complete = name_compiler,
  };
}

}  // namespace envdoctor::runtime_libdevice_missing
