// driver.not-installed: the bus shows an NVIDIA GPU without a driver, and no part of NVIDIA's driver is anywhere.
#include "checks/driver/nvidia_facts.h"
#include "checks/facts/distro.h"

#include "checks/facts/conditions.h"

namespace envdoctor::driver_not_installed {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.not-installed";

void tell(const Snapshot& snapshot, const std::vector<Gpu>& unbound, Answers& answers) {
  const bool contained = nvidia::contained(snapshot);
  for (const Gpu& gpu : unbound) {
    Finding& finding = answers.found(id, gpu.subject());
    finding.severity = nvidia::fault_severity(snapshot);
    finding.explanation =
        "No kernel driver is bound to the GPU, the nvidia module is not loaded and libcuda.so.1 is not found";
    finding.explanation += contained ? ". The module is shared with the host, so the host has none either."
                                     : ": nothing of NVIDIA's driver is installed.";
    finding.evidence = {evidence(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), "none"),
                        evidence("/modules", "no nvidia"), nvidia::libcuda_evidence(snapshot)};
    finding.fix = {
        {.text = on_the_host(snapshot) + "install NVIDIA's driver from the distribution, then reboot." +
                 (distro_of(snapshot) == Distro::debian ? " On Debian it is in the non-free component." : ""),
         .command = install_nvidia_driver(snapshot)}};
  }
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "WSL uses the driver of Windows");
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  const Flag installed = nvidia::user_space_installed(snapshot);
  if (nvidia::cuda_works(snapshot) || runs.is(true) || installed.is(true)) return answers.passed(id);
  if (!snapshot.pci.get()) return answers.unknown(id, why_unknown("/pci", snapshot.pci));
  if (!snapshot.modules.get()) return answers.unknown(id, why_unknown("/modules", snapshot.modules));
  if (!runs.get()) return answers.unknown(id, why_unknown("/nvidia/kernel_driver_version", runs));
  if (!installed.get()) return answers.unknown(id, why_unknown("/libraries: libcuda.so.1", installed));

  std::vector<Gpu> unbound;
  for (const Gpu& gpu : nvidia::gpus(snapshot)) {
    if (gpu.pci_index < 0) continue;
    const Text& driver = (*snapshot.pci.get())[static_cast<std::size_t>(gpu.pci_index)].driver;
    if (driver.get()) continue;  // nouveau or another: not this diagnosis
    if (driver.outcome() != Outcome::absent) return answers.unknown(id, why_unknown("/pci: driver", driver));
    unbound.push_back(gpu);
  }
  if (unbound.empty()) return answers.not_applicable(id, "another driver holds the GPU");
  tell(snapshot, unbound, answers);
}

bool nothing_else_of_nvidia(const Facts& facts) {
  return when::no_better_cause(facts) && !facts.container() && !facts.wsl() &&
         !facts.saw({{present, "nvidia-kernel-module"}, {present, "gpu"}});
}

// No libcuda can be loaded, and nothing says that a kernel driver runs for which one should be here.
bool no_sign_of_a_driver(const Facts& facts) {
  return when::no_driver_answers(facts) && !nvidia::contained(facts.snapshot()) && !facts.wsl() &&
         !nvidia::kernel_driver_runs(facts.snapshot()).is(true) && !facts.snapshot().pci.get();
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.not-installed",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "No driver is installed for the GPU",
      .claim = "No kernel module, no library and no device node of the GPU's driver exists.",
      .proof = "The GPU is on the bus, and neither module nor driver library is here.",
      .disproof = "Any part of the driver is found.",
      .remedy = "Install the vendor's driver from the distribution.",
      .explains =
          with_unusable_driver({"driver.libcuda-missing", "driver.module-not-loaded", "driver.device-nodes-missing",
                                "driver.gpu-init-failed", "opencl.no-icd", "opencl.loader-missing"}),
      .symptoms =
          {
              {{failed, "cuinit"}, possible, no_sign_of_a_driver, "code", cuda_error::shared_object_init_failed},
              {{missing, "nvidia-smi"}, possible, nothing_else_of_nvidia},
              {{missing, "library-for-container-toolkit"}, possible},
              {{missing, "driver-files-for-container"}, possible, when::no_driver_answers},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_not_installed
