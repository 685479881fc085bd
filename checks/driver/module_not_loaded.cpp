// driver.module-not-loaded: user-space parts of the driver are installed and the kernel module doesn't run. For AMD and
// Intel GPUs, whose drivers come with the kernel: nothing is bound to the GPU.
#include <algorithm>

#include "checks/driver/nvidia_facts.h"
#include "checks/facts/distro.h"

namespace envdoctor::driver_module_not_loaded {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.module-not-loaded";

bool held_by_another(const Gpu& gpu) { return !gpu.driver.empty() && gpu.driver != "nvidia"; }

// Where it stands that the module doesn't run.
Evidence not_running(const Snapshot& snapshot) {
  if (snapshot.modules.get()) return evidence("/modules", "no nvidia");
  const auto lines = symptoms_of(snapshot, {missing, "kernel-driver"});
  return lines.empty() ? evidence("/nvidia/kernel_driver_version", "none")
                       : evidence(*lines.front(), "kernel driver not running");
}

Finding& tell_nvidia(const Snapshot& snapshot, Confidence confidence, Answers& answers) {
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.explanation =
      "Libraries of the driver are installed, and the running kernel has no nvidia module loaded. Mostly none was "
      "built for this kernel: "
      "its headers or DKMS are missing, or the last update failed.";
  if (nvidia::kernel_driver_runs(snapshot).is(false)) finding.evidence = {not_running(snapshot)};
  finding.evidence = nvidia::joined(std::move(finding.evidence), nvidia::nvml_evidence(snapshot));
  if (const Text library = nvidia::libcuda(snapshot); library.get())
    finding.evidence.push_back(nvidia::libcuda_evidence(snapshot));
  if (const Text kernel = of(snapshot.host, &HostFacts::kernel); kernel.get())
    finding.evidence.push_back(evidence("/host/kernel", *kernel.get()));
  finding.fix = {{.text = on_the_host(snapshot) + "load the module; its own words tell why it doesn't load.",
                  .command = host_command(snapshot, "sudo modprobe nvidia")},
                 {.text = on_the_host(snapshot) +
                          "if no module is found for this kernel, install the kernel's headers and let DKMS build it.",
                  .command = install_kernel_headers(snapshot)}};
  if (const auto distro = distro_of(snapshot); distro == Distro::debian || distro == Distro::ubuntu)
    finding.fix.push_back({.text = "Build what DKMS has registered for this kernel.",
                           .command = host_command(snapshot, "sudo dkms autoinstall")});
  return finding;
}

// The kernel's tools say that no module was built for this kernel.
const Symptom* no_module_built(const Facts& facts) {
  for (const Symptom* line : facts.all({missing, "kernel-module"})) {
    const std::string module = line->detail("module");
    if (module.empty() || module.starts_with("nvidia")) return line;
  }
  const auto& unfit = facts.all({mismatch, "kernel-module"});
  return unfit.empty() ? nullptr : unfit.front();
}

// The answer for NVIDIA.
CheckResult judge_nvidia(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const auto answer = [](CheckState state, std::string why = {}) { return CheckResult{id, state, std::move(why)}; };
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answer(CheckState::not_applicable, why);
  if (nvidia::on_wsl(snapshot)) return answer(CheckState::not_applicable, "WSL uses the driver of Windows");
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  if (runs.is(true)) return answer(CheckState::passed);
  if (const Symptom* line = no_module_built(facts); line && !facts.saw({{refused, "kernel-module-signature"}})) {
    Finding& finding = tell_nvidia(snapshot, Confidence::likely, answers);
    finding.explanation = "No nvidia module was built for the running kernel.";
    finding.evidence.insert(finding.evidence.begin(), evidence(*line));
    return answer(CheckState::failed);
  }
  if (!runs.get()) return answer(CheckState::unknown, why_unknown("/modules", runs));
  const auto gpus = nvidia::gpus(snapshot);
  if (!gpus.empty() && std::ranges::all_of(gpus, held_by_another))
    return answer(CheckState::not_applicable, "another driver holds the GPU");
  const Flag installed = nvidia::user_space_installed(snapshot);
  if (installed.is(false)) return answer(CheckState::not_applicable, "no part of the driver is installed");
  if (!installed.get()) return answer(CheckState::unknown, why_unknown("/libraries: libcuda.so.1", installed));
  const bool bus_agrees = !gpus.empty() && snapshot.modules.get();
  // Without a GPU on the bus a library alone proves nothing: many machines without one have it.
  const auto confidence = bus_agrees           ? Confidence::certain
                          : snapshot.pci.get() ? Confidence::likely
                                               : Confidence::possible;
  tell_nvidia(snapshot, confidence, answers);
  return answer(CheckState::failed);
}

// A discrete AMD or Intel GPU without any driver on a system that may load some.
bool judge_in_kernel(const Snapshot& snapshot, Answers& answers) {
  bool found = false;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if ((gpu.vendor != Vendor::amd && gpu.vendor != Vendor::intel) || gpu.pci_index < 0 || !gpu.granted) continue;
    const Text& driver = (*snapshot.pci.get())[static_cast<std::size_t>(gpu.pci_index)].driver;
    if (driver.outcome() != Outcome::absent) continue;
    const bool amd = gpu.vendor == Vendor::amd;
    Finding& finding = answers.found(id, gpu.subject());
    finding.severity = gpu.integrated ? Severity::info : Severity::error;
    finding.confidence = Confidence::likely;
    finding.title = "No kernel driver is bound to the GPU";
    finding.explanation = amd ? "The driver amdgpu comes with the kernel; here it is not bound to the GPU: not loaded, "
                                "blacklisted, without its firmware, "
                                "or the kernel is older than the GPU."
                              : "The drivers i915 and xe come with the kernel; here none is bound to the GPU: not "
                                "loaded, blacklisted, without firmware, or "
                                "the kernel is older than the GPU.";
    finding.evidence = {evidence(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), "none")};
    if (const Text kernel = of(snapshot.host, &HostFacts::kernel); kernel.get())
      finding.evidence.push_back(evidence("/host/kernel", *kernel.get()));
    finding.fix = {{.text = on_the_host(snapshot) + "load the module and read what the kernel log says about it.",
                    .command = amd ? host_command(snapshot, "sudo modprobe amdgpu") : ""}};
    found = true;
  }
  return found;
}

// What rocminfo says of amdgpu. It looks for the module in sysfs, which a container shares with its host, and for the
// node in /dev: without a word of the module, a missing node means the same on a bare host only.
bool judge_amdgpu(const Facts& facts, Answers& answers) {
  const auto& unloaded = facts.all({missing, "amdgpu-kernel-module"});
  const auto& lacking = facts.all({missing, "kfd-node"});
  const bool by_node = !facts.container() && !facts.saw({{present, "amdgpu-kernel-module"}});
  const auto& lines = unloaded.empty() && by_node ? lacking : unloaded;
  if (lines.empty()) return false;
  Finding& finding = add_finding(answers, *lines.front(), id, Confidence::likely);
  finding.title = "The kernel module amdgpu is not loaded";
  finding.explanation = "ROCm is installed and finds no amdgpu in the running kernel.";
  finding.fix = {{.text = "Load the module; the kernel log tells why it doesn't load.",
                  .command = "sudo modprobe amdgpu; sudo dmesg | grep amdgpu"}};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const bool in_kernel = judge_in_kernel(snapshot, answers);
  const CheckResult nvidia_answer = judge_nvidia(facts, answers);
  if (judge_amdgpu(facts, answers) || in_kernel || nvidia_answer.state == CheckState::failed) return;
  answers.results.push_back(nvidia_answer);
}

bool not_rejected(const Facts& facts) {
  return !nvidia::driver_answers(facts.snapshot()) && !facts.saw({{refused, "kernel-module-signature"}});
}

// modprobe finds no device for the module: nothing says that it ignores one that is there.
bool no_device_ignored(const Facts& facts) {
  return not_rejected(facts) && !facts.saw({{unsupported, "gpu"}, {too_old, "gpu"}, {ignored, "driver-probe"}});
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.module-not-loaded",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "The GPU's driver is installed and its kernel module is not loaded",
      .claim = "User-space parts of the driver are there and the running kernel has no module of it.",
      .proof =
          "The GPU is on the bus, driver files are installed, and no module is loaded or it doesn't fit this kernel.",
      .disproof = "The module is in the list of loaded modules, or no part of the driver is installed.",
      .remedy =
          "Load it with modprobe nvidia or modprobe amdgpu; if that finds none, install the headers of the running "
          "kernel and "
          "let DKMS build it.",
      .explains = with_unusable_driver({"driver.device-nodes-missing", "driver.init-failed"}),
      .symptoms =
          {
              {{failed, "kernel-module"}, possible, not_rejected},
              {{missing, "kernel-headers"}, possible, not_rejected},
              {{missing, "device-for-kernel-module"}, possible, no_device_ignored},
              {{missing, "driver-for-container-toolkit"}, possible},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_module_not_loaded
