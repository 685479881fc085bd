// What container engines and images say.
#include "checks/facts.h"
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool nothing_used(const LogFacts& facts) { return !facts.used() && !facts.driver_works(); }
bool banner(const LogFacts& facts) {
  return nothing_used(facts) && !facts.wsl() && !facts.saw({"device-listed"}) &&
         (facts.container() || !facts.saw({"smi-header"}));
}

bool by_number(const LogFacts& facts) {
  return !facts.with("container-device-unknown", "device", "GPU-") &&
         !facts.with("container-device-unknown", "device", "MIG-");
}

// Docker gives a container no GPU unless it is told to, and what ran in it finds none.
bool no_gpu_granted(const LogFacts& facts) {
  return nothing_used(facts) && !facts.saw({"container-given-gpu"}) &&
         (of(facts.snapshot().torch, &Torch::cuda_available).is(false) ||
          facts.saw({"no-nvidia-driver", "no-gpus-available", "cuda-wanted-unavailable", "cuda-no-device", "app-no-gpu",
                     "lightning-no-gpu", "torch-cuda-unavailable"}));
}

}  // namespace

const LogRules& log_container_rules() {
  using enum Confidence;
  static const LogRules rules = {
      {"container-toolkit-missing", "visibility.container-toolkit-missing", certain},
      {"container-banner", "visibility.container-hidden", likely, banner},
      {"container-started", "visibility.container-hidden", likely, no_gpu_granted},
      {"container-device-unknown", "visibility.invalid-uuid", likely, nullptr, "device", "GPU-"},
      {"container-device-unknown", "visibility.invalid-uuid", likely, nullptr, "device", "MIG-"},
      {"container-device-unknown", "visibility.invalid-ordinal", likely, by_number},
      {"nvidia-container-cli-driver", "driver.module-not-loaded", possible},
      {"nvidia-container-cli-library", "driver.not-installed", possible},
      {"container-cgroup", "visibility.container-toolkit-missing", possible},
      {"container-driver-in-image", "driver.version-mismatch", possible},
      {"device-plugin-no-gpu", "visibility.container-toolkit-missing", possible, nothing_used},
      {"kubernetes-no-gpu", "visibility.container-hidden", possible, nothing_used},
      {"container-no-smi", "visibility.container-hidden", possible, nothing_used},
      {"container-no-driver-files", "driver.not-installed", possible, nothing_used},
  };
  return rules;
}

}  // namespace envdoctor
