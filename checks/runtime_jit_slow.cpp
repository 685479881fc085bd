// runtime.jit-slow: the build's CUDA is older than the GPU, so its kernels are compiled from PTX at the first start.
#include "checks/facts.h"
#include "checks/presence.h"
#include "knowledge/drivers.h"
#include "knowledge/frameworks.h"
#include "knowledge/gpus.h"
#include "knowledge/toolkits.h"

namespace envdoctor {
namespace {

constexpr const char* id = "runtime.jit-slow";

std::string major(const std::string& capability) { return capability.substr(0, capability.find('.')); }

// A toolkit makes machine code up to its own newest generation; a later one runs the PTX that TensorFlow's packages
// carry.
void run(const Snapshot& snapshot, Answers& answers) {
  const std::string version = framework_version(snapshot, "tensorflow");
  if (version.empty()) return answers.not_applicable(id, "TensorFlow is not installed");
  const Text told = of(snapshot.tensorflow, &Tensorflow::cuda_version);
  const auto needs = knowledge::tensorflow_needs(version);
  const std::string cuda = told.get() ? *told.get() : needs ? needs->cuda : "";
  const auto toolkit = cuda.empty() ? std::nullopt : knowledge::targets_of_toolkit(cuda);
  if (!toolkit || toolkit->highest.empty()) return answers.unknown(id, "the CUDA of TensorFlow's build is not known");
  bool known = false;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    const std::string& capability = gpu.compute_capability;
    if (gpu.vendor != Vendor::nvidia || !gpu.granted || capability.empty()) continue;
    known = true;
    // From Blackwell (10.0) on such PTX was seen to fail: runtime.arch-unsupported speaks of that.
    if (knowledge::compare_versions(major(capability), major(toolkit->highest)) <= 0 ||
        knowledge::capability_has(capability, "old-ptx-fails"))
      continue;
    Finding& finding = answers.found(id, gpu.subject());
    finding.severity = Severity::warning;
    finding.confidence = Confidence::likely;
    finding.explanation = "TensorFlow " + version + " was built with CUDA " + cuda +
                          ", which makes no code newer than " + toolkit->highest + "; this GPU has " + capability +
                          ". The driver compiles its kernels at the first start, which takes minutes.";
    finding.evidence = {told.get() ? seen("/tensorflow/cuda_version", cuda) : framework_seen(snapshot, "tensorflow"),
                        gpus_seen(snapshot, Vendor::nvidia)};
    finding.fix = {{.text = "Install a TensorFlow that was built with a CUDA which knows this GPU."}};
  }
  if (!known) return answers.unknown(id, "the GPU's compute capability is not known");
  answers.sound(id);
}

}  // namespace

Check runtime_jit_slow() { return {{id}, run}; }

}  // namespace envdoctor
