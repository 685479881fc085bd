// Messages about the driver.
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool unreachable(const LogFacts& facts) { return !facts.used() && !facts.driver_works(); }

// A reason stands beside the message that no driver answers: the group would only repeat it.
bool explained(const LogFacts& facts) {
  return facts.saw({"module-not-found", "module-wrong-kernel", "kernel-headers-missing", "module-key-rejected",
                    "nouveau-bound", "probe-not-called", "gpu-legacy", "gpu-driver-ignores", "gpu-off-bus",
                    "rm-init-failed", "driver-library-mismatch", "driver-versions-differ", "container-toolkit-missing",
                    "gpu-lost", "libcuda-stub", "system-not-ready", "compat-on-unsupported", "driver-combination"});
}

bool group(const LogFacts& facts) { return unreachable(facts) && !explained(facts); }

bool in_container_without_driver(const LogFacts& facts) { return group(facts) && facts.container(); }

bool nvml_lost_in_container(const LogFacts& facts) { return facts.container(); }
bool nvml_lost(const LogFacts& facts) { return !facts.container() && !facts.driver_works(); }

bool too_old_for_sure(const LogFacts& facts) { return !facts.driver_dead() && !facts.used(); }
bool too_old_perhaps(const LogFacts& facts) { return facts.driver_dead() && group(facts); }

// A stub in the search path matters where the driver library answers as a stub does.
bool stub_fails(const LogFacts& facts) {
  return facts.with("cuda-count-failed", "number", "34") || facts.with("cuinit-failed", "code", "UNKNOWN ERROR (34)");
}

bool on_wsl(const LogFacts& facts) { return facts.wsl(); }

// The other nodes aren't said to be missing: NVML needs no nvidia-uvm, CUDA does.
bool uvm_alone(const LogFacts& facts) {
  return unreachable(facts) && !facts.with("device-node-missing", "node", "/dev/nvidia0") &&
         !facts.with("device-node-missing", "node", "/dev/nvidia*");
}

bool node_outside_container(const LogFacts& facts) { return group(facts) && !facts.container(); }

// A number that is too high is refused in the same words.
bool refused_without_cuda(const LogFacts& facts) { return group(facts) && facts.saw({"torch-cuda-unavailable"}); }

bool nothing_else_of_nvidia(const LogFacts& facts) {
  return group(facts) && !facts.container() && !facts.wsl() && !facts.saw({"nvrm-loading", "device-listed"});
}

bool no_devices_alone(const LogFacts& facts) {
  return group(facts) && !facts.saw({"module-no-device", "nvrm-no-gpu", "bar-invalid"});
}

// HSA says no more than this of a /dev/kfd that it can't open, whatever the reason.
bool hsa_alone(const LogFacts& facts) {
  return group(facts) && !facts.saw({"kfd-missing", "kfd-node-missing", "kfd-no-permission", "kfd-unsupported",
                                     "kfd-node-closed", "hsa-kernel-mismatch", "hip-no-code", "amdgpu-init-failed"});
}

// Without NVSwitch the service stops at once and says so; nothing waits for it.
bool fabric_wanted(const LogFacts& facts) { return unreachable(facts) && !facts.saw({"fabric-not-needed"}); }

}  // namespace

const LogRules& log_driver_rules() {
  using enum Confidence;
  static const LogRules rules = {
      {"driver-too-old", "driver.wsl", likely, on_wsl, "found", "0"},
      {"driver-too-old", "driver.too-old", certain, nullptr, "needs", ""},
      {"driver-too-old", "driver.too-old", likely, too_old_for_sure},
      {"driver-too-old", "driver.unreachable", possible, too_old_perhaps},
      {"ptx-too-new", "driver.too-old", likely},
      {"gpu-blocked-by-os", "driver.wsl", likely},
      {"driver-version-zero", "driver.wsl", likely, on_wsl},
      {"driver-version-zero", "driver.unreachable", possible, group},
      {"nvidia-node-closed", "driver.permission", likely},
      {"kfd-node-closed", "driver.permission", likely},
      {"libcuda-not-linkable", "driver.libcuda-linker-name", likely},
      {"stub-path", "driver.libcuda-stub", possible, stub_fails},
      {"nvml-no-permission", "driver.permission", likely},
      {"nvml-unknown-error", "driver.container-cgroup-lost", likely, nvml_lost_in_container},
      {"nvml-unknown-error", "driver.container-cgroup-lost", possible, nvml_lost},
      {"gpu-lost", "driver.gpu-lost", certain},
      {"libcuda-stub", "driver.libcuda-stub", certain},
      {"libcuda-odd-version", "driver.libcuda-stub", likely, nullptr, "version", "1"},
      {"system-not-ready", "driver.fabric-manager", likely},
      {"compat-on-unsupported", "driver.compat-package", likely,
       [](const LogFacts& f) {
         return !f.saw({"driver-library-mismatch"}) && f.all("driver-versions-differ").empty();
       }},
      {"driver-combination", "driver.compat-package", likely,
       [](const LogFacts& f) {
         return !f.saw({"driver-library-mismatch"}) && f.all("driver-versions-differ").empty();
       }},
      {"cuda-unknown-error", "driver.init-failed", likely,
       [](const LogFacts& f) { return f.all("cuinit-failed").empty() && !f.used() && !f.driver_dead(); }},
      {"cuda-os-call", "driver.init-failed", likely, unreachable},
      {"devices-busy", "driver.compute-mode", possible, [](const LogFacts& f) { return !f.saw({"gpu-needs-reset"}); }},
      {"cuda-mps", "driver.compute-mode", possible},
      {"fabric-state", "driver.fabric-manager", likely, fabric_wanted},
      {"device-node-missing", "driver.device-nodes-missing", likely, uvm_alone, "node", "/dev/nvidia-uvm"},
      {"device-node-missing", "driver.device-nodes-missing", possible, node_outside_container, "node", "/dev/nvidia0"},
      {"device-node-missing", "visibility.container-hidden", likely, in_container_without_driver},
      {"image-needs-driver", "driver.too-old", likely, not_used},
      {"smi-header", "driver.wsl", possible, on_wsl, "cuda", "ERR!"},
      {"smi-header", "driver.unreachable", possible, group, "cuda", "ERR!"},
      {"smi-no-driver", "driver.unreachable", possible, group},
      {"smi-not-found", "driver.not-installed", possible, nothing_else_of_nvidia},
      {"cuda-wanted-unavailable", "driver.unreachable", possible, group},
      {"nvml-driver-not-loaded", "driver.unreachable", possible, group},
      {"nvml-library-missing", "driver.unreachable", possible, group},
      {"no-nvidia-driver", "visibility.container-hidden", likely, in_container_without_driver},
      {"no-nvidia-driver", "driver.unreachable", possible, group},
      {"no-gpus-available", "driver.unreachable", possible, group},
      {"no-visible-devices", "driver.unreachable", possible, group},
      {"hip-no-device", "driver.unreachable", possible, group},
      {"hsa-init-failed", "driver.unreachable", possible, hsa_alone},
      {"cuda-no-device", "driver.unreachable", possible, group},
      {"no-supported-devices", "driver.unreachable", possible, group},
      {"vllm-no-platform", "driver.libcuda-missing", possible, group},
      {"app-no-gpu", "driver.unreachable", possible, group},
      {"cuda-init-failed-app", "driver.unreachable", possible, group},
      {"cuda-device-refused", "driver.unreachable", possible, refused_without_cuda},
      {"slurm-gpus-short", "driver.unreachable", possible, group, "have", "0"},
      {"lightning-no-gpu", "driver.unreachable", possible, group},
      {"smi-no-devices", "driver.unreachable", possible, no_devices_alone},
      {"kernel-driver-not-running", "driver.unreachable", possible, group},
      {"level-zero-uninitialized", "driver.unreachable", possible},
  };
  return rules;
}

}  // namespace envdoctor
