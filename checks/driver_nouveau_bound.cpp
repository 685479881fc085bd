// driver.nouveau-bound: an open display driver, which CUDA can't use, holds the GPU.
#include "checks/distro.h"
#include "checks/nvidia.h"

namespace envdoctor {
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
  finding.evidence = {seen(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), gpu.driver)};
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
bool from_log(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::cuda_works(snapshot)) return false;
  for (const char* event : {"probe-not-called", "nouveau-conflict"}) {
    for (const LogEvent* line : events_of(snapshot, event)) {
      Finding& finding = answers.found(id);
      finding.confidence = Confidence::likely;
      finding.title = "Another driver holds the GPU";
      finding.explanation =
          "NVIDIA's module was loaded and not asked to drive the GPU, because another driver, mostly nouveau, already "
          "had it.";
      finding.evidence = {seen(*line, *line->event.get())};
      finding.fix = {{.text = on_the_host(snapshot) + "see which driver holds it (Kernel driver in use).",
                      .command = host_command(snapshot, "lspci -nnk -d 10de:")},
                     {.text = on_the_host(snapshot) + "keep nouveau from loading (blacklist nouveau under "
                                                      "/etc/modprobe.d, rebuild the initramfs) and reboot."}};
      return true;
    }
  }
  return false;
}

void run(const Snapshot& snapshot, Answers& answers) {
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
  if (found || (!known && from_log(snapshot, answers))) return;
  if (nvidia::cuda_works(snapshot)) return answers.sound(id);
  if (unknown || !known)
    return answers.unknown(
        id, snapshot.pci.get() ? "which driver is bound to the GPU is not known" : why_unknown("/pci", snapshot.pci));
  answers.sound(id);
}

}  // namespace

Check driver_nouveau_bound() { return {{id}, run}; }

}  // namespace envdoctor
