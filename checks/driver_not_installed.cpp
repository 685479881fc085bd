// driver.not-installed: the bus shows an NVIDIA GPU without a driver, and no part of NVIDIA's driver is anywhere.
#include "checks/distro.h"
#include "checks/nvidia.h"

namespace envdoctor {
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
    finding.evidence = {seen(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), "none"),
                        seen("/modules", "no nvidia"), nvidia::libcuda_evidence(snapshot)};
    finding.fix = {
        {.text = on_the_host(snapshot) + "install NVIDIA's driver from the distribution, then reboot." +
                 (distro_of(snapshot) == Distro::debian ? " On Debian it is in the non-free component." : ""),
         .command = install_nvidia_driver(snapshot)}};
  }
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "WSL uses the driver of Windows");
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  const Flag installed = nvidia::user_space_installed(snapshot);
  if (nvidia::cuda_works(snapshot) || runs.is(true) || installed.is(true)) return answers.sound(id);
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

}  // namespace

Check driver_not_installed() { return {{id}, run}; }

}  // namespace envdoctor
