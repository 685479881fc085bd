// driver.not-installed: the bus shows an NVIDIA GPU without a driver, and no part of NVIDIA's driver is installed.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_not_installed {

using enum SymptomClass;

void report_finding(const Snapshot& snapshot, const Gpu& gpu, Answers& answers) {
  Finding& finding = nvidia::fault(
      answers, snapshot, Confidence::certain,
      {evidence(gpu.in_pci("driver"), "none"), evidence("/modules", "no nvidia"), nvidia::libcuda_evidence(snapshot)},
      gpu.subject());
  finding.explanation =
      "No kernel driver is bound to the GPU, the nvidia module is not loaded and libcuda.so.1 is not found";
  finding.explanation += nvidia::contained(snapshot)
                             ? ". The module is shared with the host, so the host has none either."
                             : ": nothing of NVIDIA's driver is installed.";
  finding.fix = {{.text = on_the_host(snapshot) + "install NVIDIA's driver from the distribution, then reboot." +
                          (distro_of(snapshot) == Distro::debian ? " On Debian it is in the non-free component." : ""),
                  .command = install_nvidia_driver(snapshot)}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable("WSL uses the driver of Windows");
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  const Flag installed = nvidia::user_space_installed(snapshot);
  if (nvidia::cuda_works(snapshot) || runs.is(true) || installed.is(true)) return answers.passed();
  if (!snapshot.pci.get()) return answers.unknown(why_unknown("/pci", snapshot.pci));
  if (!snapshot.modules.get()) return answers.unknown(why_unknown("/modules", snapshot.modules));
  if (!runs.get()) return answers.unknown(why_unknown("/nvidia/kernel_driver_version", runs));
  if (!installed.get()) return answers.unknown(why_unknown("/libraries: libcuda.so.1", installed));

  std::vector<Gpu> unbound = nvidia::gpus(snapshot);
  std::erase_if(unbound, [&](const Gpu& gpu) {
    const PciDevice* device = pci_device(snapshot, gpu);
    return !device || device->driver.get();  // nouveau or another: not this diagnosis
  });
  for (const Gpu& gpu : unbound) {
    const Text& driver = pci_device(snapshot, gpu)->driver;
    if (driver.outcome() != Outcome::absent) return answers.unknown(why_unknown("/pci: driver", driver));
  }
  if (unbound.empty()) return answers.not_applicable("another driver holds the GPU");
  for (const Gpu& gpu : unbound) report_finding(snapshot, gpu, answers);
}

bool nothing_else_of_nvidia(const Facts& facts) {
  return when::no_better_cause(facts) && !facts.container() && !facts.wsl() &&
         !nvidia::kernel_driver_runs(facts).is(true) &&
         !facts.saw({{present, "nvidia-kernel-module"}, {present, "gpu"}});
}

// The program finds no driver, and NVML's library, which every driver package holds, is missing as well.
bool nor_any_driver(const Facts& facts) { return nothing_else_of_nvidia(facts) && facts.saw({{missing, "driver"}}); }

// No libcuda can be loaded, and nothing shows a running kernel driver that would need one.
bool no_sign_of_a_driver(const Facts& facts) {
  return when::no_driver_answers(facts) && !nvidia::contained(facts) && !facts.wsl() &&
         !nvidia::kernel_driver_runs(facts).is(true) && !facts.snapshot().pci.get();
}

// An update that finds no package leaves the driver that runs as it is.
bool no_driver_listed(const Facts& facts) {
  return when::no_driver_answers(facts) && !nvidia::kernel_driver_runs(facts).is(true) &&
         of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().empty();
}

// The list of packages holds none of NVIDIA's, and the bus shows a GPU that nothing drives. NVIDIA's own installer
// makes no package, so a driver that runs outweighs the list.
bool gpu_without_package(const Facts& facts) {
  return no_driver_listed(facts) && !facts.container() && !facts.wsl() && has_gpu(facts, Vendor::nvidia).is(true);
}

// libva finds no file of the maker's driver for video, so programs decode and encode on the CPU.
void judge_video(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{missing, "video-driver"}});
  if (!line) return;
  const std::string library = line->detail("library"), loaded = line->detail("loaded");
  Finding& finding =
      answers.found_in(*line, loaded.empty() ? Confidence::likely : Confidence::possible, "library:" + library);
  finding.title = "The GPU's driver for video is not installed";
  finding.explanation = "libva could not load " + library + ", the driver by which programs decode and encode video";
  finding.explanation += loaded.empty() ? "." : "; " + loaded + "_drv_video.so is there and doesn't start this GPU.";
  finding.fix = {{.text = library.starts_with("i")
                              ? "Install Intel's driver: intel-media-va-driver on Debian and Ubuntu, "
                                "intel-media-driver elsewhere; for GPUs before 2014 the one of i965."
                              : "Install Mesa's driver for video: mesa-va-drivers on Debian, Ubuntu and Fedora."}};
}

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
              {{missing, "library"}, possible, nor_any_driver, "library", "libnvidia-ml"},
              {{missing, "library-for-container-toolkit"}, possible},
              {{missing, "driver-image"}, likely, when::no_driver_answers},
              {{missing, "driver-package"}, likely, no_driver_listed},
              {{missing, "listed-driver-package"}, likely, gpu_without_package},
              {{noted, "driver-installer-pod"},
               possible,
               [](const Facts& f) {
                 return f.saw({{noted, "crash-loop"}}) && when::no_better_cause(f);
               }},
              {{missing, "driver-files-for-container"}, possible, when::no_driver_answers},
          },
      .not_here = nvidia::not_here,
      .judge_host = judge,
      .judge = judge_video,
  };
}

}  // namespace envdoctor::driver_not_installed
