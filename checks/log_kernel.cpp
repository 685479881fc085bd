// The kernel's lines: module, bus, board.
#include <algorithm>
#include <cstdlib>

#include "checks/facts.h"
#include "checks/log_facts.h"
#include "checks/xid.h"

namespace envdoctor {
namespace {

bool starts(const LogFacts& facts) { return !facts.driver_works() && !facts.used(); }
bool no_bus_loss(const LogFacts& facts) {
  return starts(facts) && !facts.saw({"gpu-off-bus", "gpu-driver-ignores", "gpu-legacy"});
}
bool key_alone(const LogFacts& facts) { return starts(facts); }
bool bar_and_failure(const LogFacts& facts) {
  return facts.saw({"rm-init-failed", "bar-invalid", "smi-no-devices", "nvrm-no-gpu"});
}
bool not_rejected(const LogFacts& facts) { return starts(facts) && !facts.saw({"module-key-rejected"}); }
bool not_legacy(const LogFacts& facts) {
  return not_rejected(facts) && !facts.saw({"gpu-driver-ignores", "gpu-legacy", "probe-not-called"});
}

// Where the devices of the bus are known, their own checks judge drivers and links; a line alone may be any device's.
bool drivers_unknown(const LogFacts& facts) {
  const auto* devices = facts.snapshot().pci.get();
  return starts(facts) && (!devices || std::ranges::none_of(*devices, [](const PciDevice& d) {
           return d.driver.outcome() != Outcome::not_probed;
         }));
}
bool links_unknown(const LogFacts& facts) {
  const auto* devices = facts.snapshot().pci.get();
  return !devices || std::ranges::none_of(*devices, [](const PciDevice& d) { return d.link.get() != nullptr; });
}

// rocminfo looks for the module in sysfs, which a container shares with its host, and for the node in /dev.
bool kfd_hidden(const LogFacts& facts) { return facts.container() && facts.all("kfd-missing").empty(); }
bool kfd_absent(const LogFacts& facts) { return !facts.container() && facts.saw({"rock-loaded"}); }
bool kfd_unknown(const LogFacts& facts) { return !facts.container() && !facts.saw({"rock-loaded", "kfd-missing"}); }

// The kernel says so of every old AMD card, a mere display's included.
bool rocm_fails(const LogFacts& facts) {
  return starts(facts) && facts.saw({"hsa-init-failed", "hip-no-device", "rock-loaded", "kfd-node-closed"});
}

}  // namespace

const LogRules& log_kernel_rules() {
  using enum Confidence;
  static const LogRules rules = {
      {"gpu-off-bus", "driver.gpu-lost", certain},
      {"rm-init-failed", "driver.gpu-init-failed", certain, no_bus_loss},
      {"amdgpu-init-failed", "driver.gpu-init-failed", certain},
      {"intel-init-failed", "driver.gpu-init-failed", likely},
      {"gpu-legacy", "driver.gpu-unsupported", certain},
      {"gpu-driver-ignores", "driver.gpu-unsupported", certain},
      {"probe-not-called", "driver.nouveau-bound", likely,
       [](const LogFacts& f) {
         return starts(f) && !f.saw({"gpu-driver-ignores", "gpu-legacy"});
       }},
      {"nouveau-bound", "driver.nouveau-bound", likely, drivers_unknown},
      {"nouveau-conflict", "driver.nouveau-bound", likely, starts},
      {"module-key-rejected", "driver.secure-boot", certain, key_alone},
      {"module-not-found", "driver.module-not-loaded", likely, not_rejected},
      {"module-wrong-kernel", "driver.module-not-loaded", likely, not_rejected},
      {"module-load-failed", "driver.secure-boot", likely,
       [](const LogFacts& f) { return of(f.snapshot().host, &HostFacts::secure_boot).is(true); }},
      {"module-load-failed", "driver.module-not-loaded", possible, not_rejected},
      {"kernel-headers-missing", "driver.module-not-loaded", possible, not_rejected},
      {"module-no-device", "driver.module-not-loaded", possible, not_legacy},
      {"bar-invalid", "hardware.bar-or-bios", likely, starts},
      {"bar-no-space", "hardware.bar-or-bios", likely, bar_and_failure},
      {"nvrm-no-gpu", "driver.unreachable", possible, not_legacy},
      {"mig-no-instance", "hardware.mig-unconfigured", likely},
      {"gpu-throttled", "hardware.power-or-thermal", likely},
      {"gpu-power-cable", "hardware.power-or-thermal", certain},
      {"ecc-uncorrectable", "hardware.ecc", certain},
      {"pcie-errors", "hardware.pcie-degraded", possible},
      {"pcie-narrow", "hardware.pcie-degraded", likely, links_unknown},
      {"amd-gpu-hang", "driver.gpu-lost", possible},
      {"intel-gpu-hang", "driver.gpu-lost", possible},
      {"gpu-needs-reset", "driver.gpu-lost", likely},
      {"hsa-kernel-mismatch", "driver.kernel-runtime-incompatible", likely},
      {"kfd-node-missing", "driver.device-nodes-missing", likely, kfd_absent},
      {"kfd-no-permission", "driver.permission", certain},
      {"kfd-unsupported", "runtime.rocm-arch-unsupported", likely, rocm_fails},
      {"kfd-unsupported", "runtime.rocm-arch-unsupported", possible, starts},
  };
  return rules;
}

void log_kfd(const LogFacts& facts, Answers& answers) {
  const auto& unloaded = facts.all("kfd-missing");
  const auto& missing = facts.all("kfd-node-missing");
  if (!missing.empty() && kfd_hidden(facts)) {
    Finding& finding = log_finding(answers, *missing.front(), "visibility.container-hidden", Confidence::likely);
    finding.explanation = "rocminfo finds no /dev/kfd in this container: ROCm's device nodes were not passed into it.";
    finding.fix = {{.text = "Start the container with the nodes of ROCm: docker run --device=/dev/kfd "
                            "--device=/dev/dri, and with the group that owns them (--group-add)."}};
  } else if (!unloaded.empty() || (!missing.empty() && kfd_unknown(facts))) {
    const LogEvent& event = *(unloaded.empty() ? missing : unloaded).front();
    Finding& finding = log_finding(answers, event, "driver.module-not-loaded", Confidence::likely);
    finding.title = "The kernel module amdgpu is not loaded";
    finding.explanation = "ROCm is installed and finds no amdgpu in the running kernel.";
    finding.fix = {{.text = "Load the module; the kernel log tells why it doesn't load.",
                    .command = "sudo modprobe amdgpu; sudo dmesg | grep amdgpu"}};
  }
}

void log_xid(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("xid")) {
    const int code = std::atoi(field_of(*event, "code").c_str());
    const std::string id = xid_diagnosis(code);
    if (id.empty()) continue;
    Finding& finding =
        log_finding(answers, *event, id.c_str(), code == xid_off_the_bus ? Confidence::certain : Confidence::likely);
    tell_xid(finding, code, facts.snapshot());
  }
}

}  // namespace envdoctor
