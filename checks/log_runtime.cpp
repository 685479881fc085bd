// Builds, libraries of other versions, architectures.
#include <algorithm>

#include "checks/facts.h"
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool driver_is_there(const LogFacts& facts) { return !facts.driver_dead() && facts.all("cuinit-failed").empty(); }

bool jax_cpu_only(const LogFacts& facts) {
  return driver_is_there(facts) && !facts.used() &&
         !facts.saw({"jax-library-missing", "undefined-symbol", "cudnn-versions-differ", "cuda-versions-differ",
                     "jax-plugin-failed", "jax-version-too-old", "no-visible-devices", "library-missing"});
}

bool gpu_build_without_libraries(const LogFacts& facts) {
  return !facts.used() && facts.all("library-missing").empty() && driver_is_there(facts);
}

// A GPU is known, and TensorFlow lists none without a word about drivers or libraries: it never looked.
bool silent_build(const LogFacts& facts) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  return devices.get() && !devices.get()->empty() && driver_is_there(facts) && !facts.used() &&
         !facts.saw({"library-missing", "library-opened", "tf-gpu-libraries-missing", "tf-cuda-not-found",
                     "driver-too-old", "device-listed", "gpu-too-old"});
}

bool ptx_fails(const LogFacts& facts) { return facts.saw({"jit-from-ptx", "arch-not-in-build"}); }
bool only_jit(const LogFacts& facts) { return !facts.saw({"invalid-ptx", "cuda-invalid-handle", "no-kernel-image"}); }
bool not_rocm(const LogFacts& facts) { return facts.all("hip-no-code").empty(); }
bool from_search_path(const LogFacts& facts) {
  const Text path = env_of(facts.snapshot(), "LD_LIBRARY_PATH");
  return path.get() && path.get()->find("cuda") != std::string::npos;
}
bool not_from_search_path(const LogFacts& facts) { return !from_search_path(facts); }
bool more_than_cudnn(const LogFacts& facts) {
  const auto& missing = facts.all("jax-library-missing");
  return not_from_search_path(facts) &&
         std::ranges::any_of(missing, [](const LogEvent* event) { return field_of(*event, "library") != "cuDNN"; });
}
bool no_shm(const LogFacts& facts) {
  return !facts.saw({"shm-too-small", "peer-access", "out-of-memory", "cuda-out-of-memory", "driver-too-old",
                     "nccl-duplicate-gpu", "no-kernel-image", "system-not-ready"});
}
// Code for another target than the GPU's: the variable makes it run, or MIOpen has nothing for the target.
bool other_target(const LogFacts& facts) {
  return facts.saw({"miopen-untuned"}) || env_of(facts.snapshot(), "HSA_OVERRIDE_GFX_VERSION").get();
}
bool ptxas_alone(const LogFacts& facts) { return facts.all("libdevice-missing").empty() && !facts.used(); }
bool not_shadowed(const LogFacts& facts) { return !facts.saw({"cudnn-conflict"}); }

}  // namespace

const LogRules& log_runtime_rules() {
  using enum Confidence;
  static const LogRules rules = {
      {"cpu-only-build", "runtime.cpu-only-build", certain, nullptr, "program", "t"},
      {"cpu-only-build", "runtime.cpu-only-build", likely},
      {"jax-cpu-plugin", "runtime.cpu-only-build", likely},
      {"jax-cuda-jaxlib-missing", "runtime.cpu-only-build", likely, jax_cpu_only},
      {"jax-fallback-cpu", "runtime.cpu-only-build", possible, jax_cpu_only},
      {"jax-unknown-backend", "runtime.cpu-only-build", possible, jax_cpu_only},
      {"conda-cpu-build", "runtime.cpu-only-build", likely, not_used, "program", "torch"},
      {"conda-cpu-build", "runtime.cpu-only-build", possible, not_used},
      {"tf-no-gpu-listed", "runtime.cpu-only-build", possible, silent_build},
      {"torchvision-nogpu", "python.broken-install", possible},
      {"tf-cuda-not-found", "runtime.cuda-library-missing", likely, gpu_build_without_libraries},
      {"cudnn-versions-differ", "runtime.cudnn-mismatch", certain, not_shadowed},
      {"cudnn-versions-differ", "runtime.library-shadowed", likely,
       [](const LogFacts& f) { return f.saw({"cudnn-conflict"}); }},
      {"cudnn-versions-differ", "runtime.cudnn-mismatch", likely,
       [](const LogFacts& f) { return f.saw({"cudnn-conflict"}); }},
      {"cudnn-sublibrary-mismatch", "runtime.cudnn-mismatch", likely},
      {"cuda-versions-differ", "runtime.cuda-mismatch", likely},
      {"jax-version-too-old", "runtime.cudnn-mismatch", likely, nullptr, "library", "cuDNN"},
      {"jax-version-too-old", "runtime.cuda-mismatch", likely},
      {"jax-library-missing", "runtime.library-shadowed", likely, from_search_path},
      {"jax-library-missing", "runtime.cudnn-missing", likely, not_from_search_path, "library", "cuDNN"},
      {"jax-library-missing", "runtime.cuda-library-missing", likely, more_than_cudnn, "library", "cu"},
      {"no-kernel-image", "runtime.arch-unsupported", certain, not_rocm},
      {"arch-not-in-build", "runtime.arch-unsupported", certain},
      {"gpu-too-old", "runtime.arch-unsupported", certain},
      {"capability-too-low", "runtime.arch-unsupported", likely},
      {"gpu-symbol-version", "runtime.library-shadowed", likely},
      {"cuda-runtime-not-found", "runtime.cuda-library-missing", likely, gpu_build_without_libraries},
      {"gpu-few-cores", "usage.detected-unused", likely},
      {"toolkit-arch-unsupported", "runtime.arch-unsupported", likely},
      {"cudnn-arch", "runtime.arch-unsupported", likely},
      {"invalid-ptx", "runtime.arch-unsupported", likely},
      {"cuda-invalid-handle", "runtime.arch-unsupported", likely, ptx_fails},
      {"jit-from-ptx", "runtime.jit-slow", likely, only_jit},
      {"libdevice-missing", "runtime.libdevice-missing", likely},
      {"ptxas-missing", "runtime.libdevice-missing", possible, ptxas_alone},
      {"ptxas-too-old", "runtime.libdevice-missing", likely},
      {"hip-no-code", "runtime.rocm-arch-unsupported", likely},
      {"hsa-memory-fault", "runtime.rocm-arch-unsupported", possible, other_target},
      {"nccl-error", "runtime.nccl", likely, no_shm},
      {"nccl-network", "runtime.nccl", likely, no_shm},
      {"nccl-timeout", "runtime.nccl", possible, no_shm},
      {"nccl-connect-retried", "runtime.nccl", possible, no_shm},
      {"nccl-cuda-failure", "runtime.nccl", possible, no_shm},
      {"nccl-duplicate-gpu", "usage.wrong-gpu", likely},
      {"peer-access", "hardware.p2p", likely},
      {"acs-redirects", "hardware.p2p", likely, [](const LogFacts& f) { return f.saw({"nccl-timeout"}); }},
      {"iommu-translates", "hardware.p2p", possible},
      {"ort-provider-failed", "runtime.cuda-library-missing", possible,
       [](const LogFacts& f) { return f.all("library-missing").empty(); }},
  };
  return rules;
}

}  // namespace envdoctor
