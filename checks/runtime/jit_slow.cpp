// runtime.jit-slow: the build's CUDA is older than the GPU, so its kernels are compiled from PTX at the first start.
#include "checks/engine/rule.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/cuda_toolkits.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/gpus/gpu_models.h"

namespace envdoctor::runtime_jit_slow {

using enum SymptomClass;

// The toolkit whose runtime TensorFlow says that it opened: "10.1".
Text opened_runtime(const Facts& facts) {
  constexpr std::string_view name = "libcudart.so.";
  for (const Symptom* library : facts.all({present, "library"})) {
    const std::string file = library->detail("library");
    if (file.starts_with(name)) return file.substr(name.size());
  }
  return {};
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const std::string version = framework_version(snapshot, "tensorflow");
  Text stated = of(snapshot.tensorflow, &Tensorflow::cuda_version);
  if (!stated.get()) stated = opened_runtime(facts);
  if (version.empty() && !stated.get()) return answers.not_applicable("TensorFlow is not installed");
  const auto needs = knowledge::tensorflow_needs(version);
  const std::string cuda = stated.get() ? *stated.get() : needs ? needs->cuda : "";
  const auto toolkit = cuda.empty() ? std::nullopt : knowledge::targets_of_toolkit(cuda);
  if (!toolkit || toolkit->highest.empty()) return answers.unknown("the CUDA of TensorFlow's build is not known");
  // A toolkit generates machine code up to its newest generation; later GPUs run the PTX that TensorFlow's packages
  // contain. From Blackwell (10.0) on such PTX was seen to fail, which runtime.arch-unsupported reports.
  const auto compiled = [&](const std::string& capability) {
    return knowledge::compare_versions(knowledge::major_of(capability), knowledge::major_of(toolkit->highest)) > 0 &&
           !knowledge::capability_has(capability, "old-ptx-fails");
  };
  const auto explain = [&](Finding& finding, const std::string& capability) {
    finding.severity = Severity::warning;
    finding.confidence = Confidence::likely;
    finding.explanation = (version.empty() ? "TensorFlow" : "TensorFlow " + version) + " was built with CUDA " + cuda +
                          ", whose compiler supports GPUs up to " + toolkit->highest + "; this GPU has " + capability +
                          ". The driver compiles its kernels at the first start, which takes minutes.";
    finding.fix = {{.text = "Install a TensorFlow that was built with a CUDA version that supports this GPU."}};
  };
  for (const Symptom* line : facts.all({noted, "gpu-capability"})) {
    if (const std::string capability = line->detail("capability"); compiled(capability))
      return explain(answers.found_in(*line, Confidence::likely), capability);
  }
  bool known = false;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    const std::string& capability = gpu.compute_capability;
    if (gpu.vendor != Vendor::nvidia || !gpu.granted || capability.empty()) continue;
    known = true;
    if (!compiled(capability)) continue;
    Finding& finding = answers.found_on(gpu.subject());
    explain(finding, capability);
    finding.evidence = {
        stated.get() ? evidence("/tensorflow/cuda_version", cuda) : framework_seen(snapshot, "tensorflow"),
        gpus_seen(snapshot, Vendor::nvidia)};
  }
  if (!known) return answers.unknown("the GPU's compute capability is not known");
  answers.passed();
}

bool only_jit(const Facts& facts) {
  return !facts.saw({{unsupported, "ptx"}, {failed, "cuda-function-handle"}, {missing, "cuda-kernel-image"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.jit-slow",
      .layer = Layer::use,
      .severity = Severity::info,
      .title = "The first start is slow because code is compiled for this GPU",
      .claim = "The build holds no machine code for this GPU; the driver compiles it once and keeps it in its cache.",
      .proof = "The framework says that it compiles from PTX, or its CUDA is older than the GPU's generation.",
      .disproof = "The build's architecture list holds the GPU's own architecture.",
      .remedy = "Wait for the first run, keep CUDA_CACHE_MAXSIZE large enough, or install a build for this GPU.",
      .symptoms =
          {
              {{slow, "compilation-from-ptx"}, likely, only_jit},
              {{slow, "first-run"}, possible},
              helped_by("kernel-cache"),
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::runtime_jit_slow
