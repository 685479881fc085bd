// driver.version-mismatch: kernel module and libraries of different versions. A host that was upgraded and not
// rebooted, or driver files inside an image.
#include "checks/driver/nvidia_facts.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::driver_version_mismatch {

using enum SymptomClass;

void report_finding(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> proof, Answers& answers) {
  Finding& finding = nvidia::fault(answers, snapshot, confidence, std::move(proof));
  if (nvidia::contained(snapshot)) {
    finding.explanation =
        "The kernel module is the host's. The libraries in this container have another version, so they come from the "
        "image and not from the host, or the host was upgraded while the container ran.";
    finding.fix = {{.text = "Remove the NVIDIA driver packages (libnvidia-*, libcuda1) from the image, so that the "
                            "host's files are passed in; then start the container anew."}};
  } else {
    finding.explanation =
        "The libraries were upgraded while the old module stayed in the running kernel. CUDA and NVML refuse to work "
        "with a module of another version.";
    finding.fix = {
        {.text = "Reboot: the new module is loaded then.", .command = host_command(snapshot, "sudo reboot")}};
  }
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable("WSL's driver has no kernel module on this side");
  const Text nvml = nvidia::nvml(snapshot), cuinit = nvidia::cuinit(snapshot);
  // NVML refuses a module of another version, so if it starts the two agree.
  if (nvidia::cuda_works(snapshot) || nvml.outcome() == Outcome::absent) return answers.passed();

  const nvidia::Versions versions = nvidia::versions(snapshot);
  if (nvml.is(nvml_error::lib_rm_version_mismatch))
    return report_finding(snapshot, Confidence::certain,
                          nvidia::joined(nvidia::nvml_evidence(snapshot),
                                         versions.differ() ? versions.evidence : std::vector<Evidence>{}),
                          answers);
  if (nvidia::compat_path(snapshot) || !nvidia::compat_signs(snapshot).empty())
    return answers.not_applicable("libcuda comes from a compatibility package");
  // A program that compares the two also reports a failure.
  const bool fails = cuinit.get() || nvml.get() || versions.reported_different;
  if (versions.differ())
    return report_finding(snapshot, fails ? Confidence::certain : Confidence::likely, versions.evidence, answers);
  // Without versions: outside containers these two codes come from an upgrade without a reboot.
  if (in_container(snapshot).is(false) &&
      (cuinit.is(cuda_error::system_driver_mismatch) || cuinit.is(cuda_error::compat_not_supported_on_device)))
    return report_finding(snapshot, Confidence::likely, nvidia::cuinit_evidence(snapshot), answers);
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text user = of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  if (nvidia::kernel_driver_runs(snapshot).is(false)) return answers.not_applicable("the kernel module is not loaded");
  if (nvidia::user_space_installed(snapshot).is(false))
    return answers.not_applicable("the driver's libraries are not found");
  if (!kernel.get()) return answers.unknown(why_unknown("/nvidia/kernel_driver_version", kernel));
  if (!user.get()) return answers.unknown(why_unknown("/nvidia/userspace_driver_version", user));
  answers.passed();
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.version-mismatch",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The NVIDIA kernel module and the user-space library have different versions",
      .claim = "The driver's two halves must have the same version; they don't, and CUDA and NVML refuse to start.",
      .proof = "The kernel module's version and the library's differ, by file, by NVML or by the kernel log.",
      .disproof = "Both versions are equal.",
      .remedy =
          "On a host: reboot, which loads the module that was installed with the library. In a container: remove the "
          "driver packages from the image.",
      .explains = with_unusable_driver({"driver.init-failed", "driver.gpu-init-failed", "driver.compat-package",
                                        "driver.too-old", "opencl.icd-broken"}),
      .symptoms =
          {
              {{duplicate, "driver-library-in-image"}, possible},
              {{mismatch, "any-driver"}, possible, when::no_better_cause},
          },
      .not_here = nvidia::not_here,
      .judge_host = judge,
  };
}

}  // namespace envdoctor::driver_version_mismatch
