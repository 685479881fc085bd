// driver.nouveau-bound: an open display driver, which CUDA can't use, holds the GPU.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_nouveau_bound {

using enum SymptomClass;

bool is_display_driver(const std::string& driver) {
  return driver == "nouveau" || driver == "nvidiafb" || driver == "rivafb";
}

void report_finding(const Snapshot& snapshot, const Gpu& gpu, Answers& answers) {
  const Flag installed = nvidia::user_space_installed(snapshot);
  const std::string& driver = gpu.driver;
  Finding& finding =
      nvidia::fault(answers, snapshot, Confidence::certain, {evidence(gpu.in_pci("driver"), driver)}, gpu.subject());
  if (driver != "nouveau") finding.title = "The driver " + driver + " holds the GPU";
  finding.explanation = "The driver bound to the GPU is " + driver +
                        ", which offers no CUDA; NVIDIA's module can't take a GPU that is held.";
  if (installed.is(false)) finding.explanation += " NVIDIA's own driver is not installed.";
  if (!installed.is(true))
    finding.fix.push_back(
        {.text = on_the_host(snapshot) + "install NVIDIA's driver; its package keeps " + driver + " from loading.",
         .command = installed.is(false) ? install_nvidia_driver(snapshot) : ""});
  const auto distro = distro_of(snapshot);
  const bool apt = distro == Distro::debian || distro == Distro::ubuntu || distro == Distro::ubuntu_like;
  finding.fix.push_back(on_host(
      snapshot,
      fmt::format("keep {0} from loading: put 'blacklist {0}' and 'options {0} modeset=0' into a file under "
                  "/etc/modprobe.d, rebuild the initramfs, reboot.",
                  driver),
      apt && driver == "nouveau" ? "printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' | sudo tee "
                                   "/etc/modprobe.d/blacklist-nouveau.conf && sudo update-initramfs -u && sudo reboot"
                                 : ""));
}

// NVIDIA's module found its GPUs held by another driver.
bool from_log(const Facts& facts, Answers& answers) {
  // A module that doesn't support the GPU would not drive it anyway.
  const bool unfit = facts.saw({{unsupported, "gpu"}, {too_old, "gpu"}});
  const Symptom* line = unfit ? facts.first({{busy, "gpu"}}) : facts.first({{ignored, "driver-probe"}, {busy, "gpu"}});
  const bool named = facts.saw({{present, "other-driver"}});  // driver.other-driver-bound reports which
  // The driver's guess, too, where the firmware gave the GPU no memory window.
  const bool no_window = facts.saw({{failed, "pci-memory-region"}});
  if (!line || named || no_window || !when::no_driver_answers(facts)) return false;
  Finding& finding = answers.found();
  finding.confidence = Confidence::likely;
  finding.title = "Another driver holds the GPU";
  finding.explanation =
      "NVIDIA's module was loaded and not asked to drive the GPU, because another driver, mostly nouveau, already had "
      "it.";
  finding.evidence = {evidence(*line)};
  finding.fix = {
      on_host(facts, "see which driver holds it (Kernel driver in use).", "lspci -nnk -d 10de:"),
      on_host(
          facts,
          "keep nouveau from loading (blacklist nouveau under /etc/modprobe.d, rebuild the initramfs) and reboot.")};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable("WSL uses the driver of Windows");
  bool found = false;
  bool unknown = false;
  bool known = false;
  for (const Gpu& gpu : nvidia::gpus(snapshot)) {
    const PciDevice* device = pci_device(snapshot, gpu);
    if (!device) continue;
    const bool held = is_display_driver(gpu.driver);
    const bool driver_known = device->driver.get() || device->driver.outcome() == Outcome::absent;
    if (held) report_finding(snapshot, gpu, answers);
    found = found || held;
    (driver_known ? known : unknown) = true;
  }
  if (found || (!known && from_log(facts, answers))) return;
  if (nvidia::cuda_works(snapshot) || (known && !unknown)) return answers.passed();
  answers.unknown(snapshot.pci.get() ? "which driver is bound to the GPU is not known"
                                     : why_unknown("/pci", snapshot.pci));
}

// If the devices on the bus are known, other checks judge drivers and links; a line alone may be about any device.
bool drivers_unknown(const Facts& facts) {
  return when::no_driver_answers(facts) &&
         std::ranges::none_of(facts.snapshot().pci.or_empty(),
                              [](const PciDevice& d) { return d.driver.outcome() != Outcome::not_probed; });
}

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
      .explains =
          with_unusable_driver({"driver.module-not-loaded", "driver.not-installed", "driver.device-nodes-missing",
                                "driver.gpu-init-failed", "driver.init-failed", "usage.program-fault"}),
      .symptoms =
          {
              {{present, "nouveau-driver"}, likely, drivers_unknown},
          },
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_nouveau_bound
