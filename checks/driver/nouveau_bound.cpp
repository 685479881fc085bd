// driver.nouveau-bound: an open display driver, which CUDA can't use, holds the GPU.
#include "checks/driver/nvidia_facts.h"
#include "checks/facts/distro.h"

#include "checks/facts/conditions.h"

namespace envdoctor::driver_nouveau_bound {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.nouveau-bound";

bool is_display_driver(const std::string& driver) {
  return driver == "nouveau" || driver == "nova_core" || driver == "nova-core" || driver == "nvidiafb" ||
         driver == "rivafb";
}

void tell(const Snapshot& snapshot, const Gpu& gpu, Answers& answers) {
  const Flag installed = nvidia::user_space_installed(snapshot);
  Finding& finding = answers.found(id, gpu.subject());
  finding.severity = nvidia::fault_severity(snapshot);
  if (gpu.driver != "nouveau") finding.title = "The driver " + gpu.driver + " holds the GPU";
  finding.explanation = "The driver bound to the GPU is " + gpu.driver +
                        ", which offers no CUDA; NVIDIA's module can't take a GPU that is held.";
  if (installed.is(false)) finding.explanation += " NVIDIA's own driver is not installed.";
  finding.evidence = {evidence(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), gpu.driver)};
  if (!installed.is(true))
    finding.fix.push_back(
        {.text = on_the_host(snapshot) + "install NVIDIA's driver; its package keeps " + gpu.driver + " from loading.",
         .command = installed.is(false) ? install_nvidia_driver(snapshot) : ""});
  const auto distro = distro_of(snapshot);
  const bool apt = distro == Distro::debian || distro == Distro::ubuntu || distro == Distro::ubuntu_like;
  finding.fix.push_back(
      {.text = on_the_host(snapshot) + "keep " + gpu.driver + " from loading: put 'blacklist " + gpu.driver +
               "' and 'options " + gpu.driver +
               " modeset=0' into a file under /etc/modprobe.d, rebuild the initramfs, reboot.",
       .command =
           apt && gpu.driver == "nouveau"
               ? host_command(snapshot,
                              "printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' | sudo tee "
                              "/etc/modprobe.d/blacklist-nouveau.conf && sudo update-initramfs -u && sudo reboot")
               : ""});
}

// NVIDIA's module found its GPUs held by another driver.
bool from_log(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (!when::no_driver_answers(facts)) return false;
  for (const Kind& event : {Kind{ignored, "driver-probe"}, Kind{busy, "gpu"}}) {
    // A module that doesn't know the GPU isn't asked to drive it either.
    if (event == Kind{ignored, "driver-probe"} && facts.saw({{unsupported, "gpu"}, {too_old, "gpu"}})) continue;
    for (const Symptom* line : facts.all(event)) {
      Finding& finding = answers.found(id);
      finding.confidence = Confidence::likely;
      finding.title = "Another driver holds the GPU";
      finding.explanation =
          "NVIDIA's module was loaded and not asked to drive the GPU, because another driver, mostly nouveau, already "
          "had it.";
      finding.evidence = {evidence(*line)};
      finding.fix = {{.text = on_the_host(snapshot) + "see which driver holds it (Kernel driver in use).",
                      .command = host_command(snapshot, "lspci -nnk -d 10de:")},
                     {.text = on_the_host(snapshot) + "keep nouveau from loading (blacklist nouveau under "
                                                      "/etc/modprobe.d, rebuild the initramfs) and reboot."}};
      return true;
    }
  }
  return false;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "WSL uses the driver of Windows");
  bool found = false;
  bool unknown = false;
  bool known = false;
  for (const Gpu& gpu : nvidia::gpus(snapshot)) {
    if (gpu.pci_index < 0) continue;
    const Text& driver = (*snapshot.pci.get())[static_cast<std::size_t>(gpu.pci_index)].driver;
    if (is_display_driver(gpu.driver)) {
      tell(snapshot, gpu, answers);
      found = true;
    } else if (driver.get() || driver.outcome() == Outcome::absent) {
      known = true;
    } else {
      unknown = true;
    }
  }
  if (found || (!known && from_log(facts, answers))) return;
  if (nvidia::cuda_works(snapshot)) return answers.passed(id);
  if (unknown || !known)
    return answers.unknown(
        id, snapshot.pci.get() ? "which driver is bound to the GPU is not known" : why_unknown("/pci", snapshot.pci));
  answers.passed(id);
}

// Where the devices of the bus are known, their own checks judge drivers and links; a line alone may be any device's.
bool drivers_unknown(const Facts& facts) {
  const auto* devices = facts.snapshot().pci.get();
  return when::no_driver_answers(facts) && (!devices || std::ranges::none_of(*devices, [](const PciDevice& d) {
           return d.driver.outcome() != Outcome::not_probed;
         }));
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.nouveau-bound",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "The nouveau driver holds the GPU",
      .claim = "The open-source display driver took the GPU at boot; CUDA needs NVIDIA's own module.",
      .proof = "The bus shows nouveau as the GPU's driver, or the kernel log says that another driver holds it.",
      .disproof = "The driver bound to the GPU is nvidia.",
      .remedy = "Install NVIDIA's driver, blacklist nouveau, rebuild the initramfs and reboot.",
      .explains = with_unusable_driver({"driver.module-not-loaded", "driver.not-installed",
                                        "driver.device-nodes-missing", "driver.gpu-init-failed", "driver.init-failed"}),
      .symptoms =
          {
              {{present, "nouveau-driver"}, likely, drivers_unknown},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_nouveau_bound
