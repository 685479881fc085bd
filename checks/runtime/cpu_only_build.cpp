// runtime.cpu-only-build: the framework that is installed was built without GPU support. What the framework says of
// itself outranks the name of its package.
#include "checks/engine/diagnosis.h"
#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "checks/runtime/library_facts.h"
#include "knowledge/frameworks/frameworks.h"

#include "checks/facts/conditions.h"

namespace envdoctor::runtime_cpu_only_build {

using enum SymptomClass;
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

// A framework other than this one lists a GPU: this one was installed for the CPU beside it.
bool another_works(const Snapshot& snapshot, std::string_view framework) {
  const Number physical = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  const Text jax = of(snapshot.jax, &Jax::backend);
  return (framework != "tensorflow" && physical.get() && *physical.get() > 0) ||
         (framework != "torch" && of(snapshot.torch, &Torch::cuda_available).is(true)) ||
         (framework != "jax" && jax.get() && !jax.is("cpu"));
}

void report(const Snapshot& snapshot, Answers& answers, const std::string& framework, Evidence proof) {
  Finding& finding = answers.found(id, "framework:" + framework);
  finding.confidence = Confidence::certain;
  const bool nobody_asked = has_any_gpu(snapshot).is(false) || (snapshot.pci.get() && snapshot.pci.get()->empty());
  if (nobody_asked)
    finding.severity = Severity::info;
  else if (another_works(snapshot, framework))
    finding.severity = of(snapshot.keras, &Keras::backend).is(framework) ? Severity::warning : Severity::info;
  finding.explanation = "This build of the framework has no GPU code, so it runs on the CPU with any driver.";
  finding.evidence.push_back(std::move(proof));
  finding.fix.push_back({.text = find_diagnosis(id)->remedy});
}

// PyTorch: the version's tag, or a build for no CUDA, no ROCm and no other device of its own.
bool torch_on_cpu(const Snapshot& snapshot, Answers& answers) {
  const Torch* torch = snapshot.torch.get();
  if (!torch || torch->cuda_available.is(true)) return false;
  if (const auto* version = torch->version.get()) {
    if (version->find("+cpu") != std::string::npos) {
      report(snapshot, answers, "torch", evidence("/torch/version", *version));
      return true;
    }
    if (version->find("+rocm") != std::string::npos || version->find("+xpu") != std::string::npos) return false;
  }
  if (torch->hip_version.get()) return false;
  if (torch->cuda_version.outcome() == Outcome::absent && !torch->cuda_available.is(true) && gpu_known(snapshot)) {
    report(snapshot, answers, "torch", evidence("/torch/cuda_version", torch->cuda_version.why()));
    return true;
  }
  return false;
}

bool has_plugin(const Snapshot& snapshot) {
  return package_installed(snapshot, "tensorflow-directml-plugin").is(true) ||
         package_installed(snapshot, "intel-extension-for-tensorflow").is(true);
}

// TensorFlow: its own word; on Windows, every wheel from 2.11 on.
bool tensorflow_on_cpu(const Snapshot& snapshot, Answers& answers) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow) return false;
  const Number gpus = tensorflow->physical_gpus;
  if (gpus.get() && *gpus.get() > 0) return false;
  if (tensorflow->built_with_cuda.is(false)) {
    if (of(snapshot.host, &HostFacts::platform).is("macos")) return false;  // its GPU build is a plug-in
    if (tensorflow->built_with_rocm.is(true) || has_plugin(snapshot)) return false;
    report(snapshot, answers, "tensorflow", evidence("/tensorflow/built_with_cuda", "false"));
    return true;
  }
  const auto* version = tensorflow->version.get();
  const auto needs = version ? knowledge::tensorflow_needs(*version) : std::nullopt;
  if (version && of(snapshot.host, &HostFacts::platform).is("windows") && !has_plugin(snapshot) &&
      gpu_known(snapshot) && !tensorflow->built_with_cuda.is(true) && !(needs && needs->windows_gpu)) {
    report(snapshot, answers, "tensorflow", evidence("/tensorflow/version", *version + " on Windows"));
    return true;
  }
  return false;
}

// JAX: a jaxlib without a plug-in, and without a CUDA tag of its own, as it had before there were plug-ins.
bool jax_on_cpu(const Snapshot& snapshot, Answers& answers) {
  const Jax* jax = snapshot.jax.get();
  const auto* plugins = jax ? jax->plugins.get() : nullptr;
  const auto* version = jax ? jax->jaxlib_version.get() : nullptr;
  if (!plugins || !version || !plugins->empty() || version->find('+') != std::string::npos) return false;
  if (jax->backend.get() && !jax->backend.is("cpu")) return false;
  report(snapshot, answers, "jax", evidence("/jax/plugins", "none"));
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const bool torch = torch_on_cpu(snapshot, answers), tensorflow = tensorflow_on_cpu(snapshot, answers),
             jax = jax_on_cpu(snapshot, answers);
  if (torch || tensorflow || jax) return;
  if (of(snapshot.torch, &Torch::cuda_available).is(true) || of(snapshot.torch, &Torch::cuda_version).get() ||
      of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(true) ||
      of(snapshot.jax, &Jax::plugins).then([](const auto& p) { return !p.empty(); }).is(true)) {
    answers.passed(id);
  } else if (snapshot.torch.get() || snapshot.tensorflow.get() || snapshot.jax.get()) {
    answers.unknown(id, "what the framework was built for is not known");
  } else {
    answers.not_applicable(id, "no framework was looked at");
  }
}

bool jax_cpu_only(const Facts& facts) {
  return no_driver_fault(facts) && !facts.used() &&
         !facts.saw({{missing, "jax-library"},
                     {missing, "library-symbol"},
                     {mismatch, "cudnn-version"},
                     {mismatch, "cuda-version"},
                     {failed, "jax-plugin"},
                     {too_old, "jax-library"},
                     {missing, "visible-gpu"},
                     {missing, "library"}});
}

// A GPU is known, and TensorFlow lists none without a word about drivers or libraries: it never looked.
bool silent_build(const Facts& facts) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  return devices.get() && !devices.get()->empty() && no_driver_fault(facts) && !facts.used() &&
         !facts.saw({{missing, "library"},
                     {present, "library"},
                     {missing, "gpu-libraries"},
                     {missing, "cuda-libraries"},
                     {too_old, "driver"},
                     {present, "gpu"},
                     {too_old, "compute-capability"}});
}

bool no_gpu_known(const Facts& facts) {
  return !when::gpu_listed(facts) && !facts.driver_dead() &&
         !facts.saw(
             {{missing, "library"}, {missing, "gpu-libraries"}, {failed, "cuinit"}, {missing, "cuda-libraries"}});
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.cpu-only-build",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The installed framework is a CPU-only build",
      .claim = "The package was built without GPU support; it can't use a GPU with any driver.",
      .proof = "The framework reports that it was built without CUDA, or its package's tag says so.",
      .disproof = "The framework says that it was built with CUDA or ROCm.",
      .remedy = "Replace the package by its GPU build.",
      .explains = {"usage.detected-unused"},
      .symptoms =
          {
              {{missing, "gpu-support"}, certain, nullptr, "built", "t"},
              {{missing, "gpu-support"}, likely},
              {{missing, "jax-gpu-support"}, likely},
              {{missing, "jax-cuda-build"}, likely, jax_cpu_only},
              {{missing, "jax-gpu"}, possible, jax_cpu_only},
              {{missing, "jax-backend"}, possible, jax_cpu_only},
              {{noted, "cpu-build"}, likely, not_used, "built", "torch"},
              {{noted, "cpu-build"}, possible, not_used},
              {{missing, "tensorflow-gpu"}, possible, silent_build},
              {{missing, "tensorflow-device"}, possible, no_gpu_known},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::runtime_cpu_only_build
