// driver.module-not-loaded: user-space parts of the driver are installed and the kernel module doesn't run. For AMD and
// Intel GPUs, whose drivers come with the kernel: nothing is bound to the GPU.
#include <algorithm>

#include "checks/distro.h"
#include "checks/nvidia.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.module-not-loaded";

bool held_by_another(const Gpu& gpu) { return !gpu.driver.empty() && gpu.driver != "nvidia"; }

// Where it stands that the module doesn't run.
Evidence not_running(const Snapshot& snapshot) {
  if (snapshot.modules.get()) return seen("/modules", "no nvidia");
  const auto lines = events_of(snapshot, "kernel-driver-not-running");
  return lines.empty() ? seen("/nvidia/kernel_driver_version", "none")
                       : seen(*lines.front(), "kernel driver not running");
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
  if (nvidia::nvml(snapshot).get()) finding.evidence.push_back(nvidia::nvml_evidence(snapshot));
  if (const Text library = nvidia::libcuda(snapshot); library.get())
    finding.evidence.push_back(nvidia::libcuda_evidence(snapshot));
  if (const Text kernel = of(snapshot.host, &HostFacts::kernel); kernel.get())
    finding.evidence.push_back(seen("/host/kernel", *kernel.get()));
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
const LogEvent* no_module_built(const Snapshot& snapshot) {
  for (const LogEvent* line : events_of(snapshot, "module-not-found")) {
    const auto module = line->fields.find("module");
    if (module != line->fields.end() && module->second.starts_with("nvidia")) return line;
  }
  for (const LogEvent* line : events_of(snapshot, "module-wrong-kernel")) return line;
  return nullptr;
}

// The answer for NVIDIA.
CheckResult judge_nvidia(const Snapshot& snapshot, Answers& answers) {
  const auto answer = [](CheckState state, std::string why = {}) { return CheckResult{id, state, std::move(why)}; };
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answer(CheckState::not_applicable, why);
  if (nvidia::on_wsl(snapshot)) return answer(CheckState::not_applicable, "WSL uses the driver of Windows");
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  if (nvidia::cuda_works(snapshot) || runs.is(true)) return answer(CheckState::sound);
  if (const LogEvent* line = no_module_built(snapshot)) {
    Finding& finding = tell_nvidia(snapshot, Confidence::likely, answers);
    finding.explanation = "No nvidia module was built for the running kernel.";
    finding.evidence.insert(finding.evidence.begin(), seen(*line, *line->event.get()));
    return answer(CheckState::found);
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
  return answer(CheckState::found);
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
    finding.evidence = {seen(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), "none")};
    if (const Text kernel = of(snapshot.host, &HostFacts::kernel); kernel.get())
      finding.evidence.push_back(seen("/host/kernel", *kernel.get()));
    finding.fix = {{.text = on_the_host(snapshot) + "load the module and read what the kernel log says about it.",
                    .command = amd ? host_command(snapshot, "sudo modprobe amdgpu") : ""}};
    found = true;
  }
  return found;
}

void run(const Snapshot& snapshot, Answers& answers) {
  const bool in_kernel = judge_in_kernel(snapshot, answers);
  const CheckResult nvidia_answer = judge_nvidia(snapshot, answers);
  if (in_kernel || nvidia_answer.state == CheckState::found) return;
  answers.results.push_back(nvidia_answer);
}

}  // namespace

Check driver_module_not_loaded() { return {{id}, run}; }

}  // namespace envdoctor
