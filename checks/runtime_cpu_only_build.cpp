// runtime.cpu-only-build: the framework that is installed was built without GPU support. What the framework says of
// itself outranks the name of its package.
#include "checks/check.h"
#include "checks/facts.h"
#include "knowledge/drivers.h"

namespace envdoctor {
namespace {

constexpr const char* id = "runtime.cpu-only-build";

// Somebody wants a GPU here: without one, a CPU build is the right build.
bool gpu_known(const Snapshot& snapshot) {
  const auto nvidia = of(snapshot.nvidia, &Nvidia::devices);
  const auto rocm = of(snapshot.rocm, &Rocm::devices);
  if ((nvidia.get() && !nvidia.get()->empty()) || (rocm.get() && !rocm.get()->empty())) return true;
  const auto* pci = snapshot.pci.get();
  for (std::size_t i = 0; pci && i < pci->size(); ++i) {
    if ((*pci)[i].vendor_id.is("10de")) return true;
  }
  return of(snapshot.nvidia, &Nvidia::kernel_driver_version).get() != nullptr;
}

bool no_gpu_at_all(const Snapshot& snapshot) {
  const auto* pci = snapshot.pci.get();
  return pci && pci->empty();
}

void tell(const Snapshot& snapshot, Answers& answers, const char* subject, Evidence evidence) {
  Finding& finding = answers.found(id, subject);
  finding.confidence = Confidence::certain;
  if (no_gpu_at_all(snapshot)) finding.severity = Severity::info;
  finding.explanation =
      "This build of the framework holds no code for a GPU, so it runs on the CPU whatever the driver can do.";
  finding.evidence.push_back(std::move(evidence));
  finding.fix.push_back({.text = diagnosis(id)->remedy});
}

// PyTorch: the version's tag, or a build for no CUDA, no ROCm and no other device of its own.
bool torch_on_cpu(const Snapshot& snapshot, Answers& answers) {
  const Torch* torch = snapshot.torch.get();
  if (!torch || torch->cuda_available.is(true)) return false;
  if (const auto* version = torch->version.get()) {
    if (version->find("+cpu") != std::string::npos) {
      tell(snapshot, answers, "framework:torch", seen("/torch/version", *version));
      return true;
    }
    if (version->find("+rocm") != std::string::npos || version->find("+xpu") != std::string::npos) return false;
  }
  if (torch->cuda_version.outcome() == Outcome::absent && torch->cuda_available.is(false) && gpu_known(snapshot)) {
    tell(snapshot, answers, "framework:torch", seen("/torch/cuda_version", torch->cuda_version.why()));
    return true;
  }
  return false;
}

// TensorFlow: its own word; on Windows, every wheel from 2.11 on.
bool tensorflow_on_cpu(const Snapshot& snapshot, Answers& answers) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow) return false;
  const Number gpus = tensorflow->physical_gpus;
  if (gpus.get() && *gpus.get() > 0) return false;
  if (tensorflow->built_with_cuda.is(false)) {
    if (of(snapshot.host, &HostFacts::platform).is("macos")) return false;  // its GPU build is a plug-in
    tell(snapshot, answers, "framework:tensorflow", seen("/tensorflow/built_with_cuda", "false"));
    return true;
  }
  const auto* version = tensorflow->version.get();
  const bool plugin = package_installed(snapshot, "tensorflow-directml-plugin").is(true);
  if (version && of(snapshot.host, &HostFacts::platform).is("windows") && !plugin && gpu_known(snapshot) &&
      !tensorflow->built_with_cuda.is(true) && knowledge::compare_versions(*version, "2.11") >= 0) {
    tell(snapshot, answers, "framework:tensorflow", seen("/tensorflow/version", *version + " on Windows"));
    return true;
  }
  return false;
}

void run(const Snapshot& snapshot, Answers& answers) {
  const bool torch = torch_on_cpu(snapshot, answers), tensorflow = tensorflow_on_cpu(snapshot, answers);
  if (torch || tensorflow) return;
  if (of(snapshot.torch, &Torch::cuda_available).is(true) || of(snapshot.torch, &Torch::cuda_version).get() ||
      of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(true)) {
    answers.sound(id);
  } else if (snapshot.torch.get() || snapshot.tensorflow.get()) {
    answers.unknown(id, "what the framework was built for is not known");
  } else {
    answers.not_applicable(id, "no framework was looked at");
  }
}

}  // namespace

Check runtime_cpu_only_build() { return {.ids = {id}, .run = run}; }

}  // namespace envdoctor
