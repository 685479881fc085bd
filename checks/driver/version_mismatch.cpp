// driver.version-mismatch: kernel module and libraries of different versions. A host that was upgraded and not
// rebooted, or driver files inside an image.
#include "checks/driver/compat_library.h"
#include "checks/facts/distro.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::driver_version_mismatch {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.version-mismatch";

Finding& tell(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> proof, Answers& answers) {
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.evidence = std::move(proof);
  if (nvidia::contained(snapshot)) {
    finding.explanation =
        "The kernel module is the host's. The libraries in this container have another version, so they come from the "
        "image and not "
        "from the host, or the host was upgraded while the container ran.";
    finding.fix = {{.text = "Remove the NVIDIA driver packages (libnvidia-*, libcuda1) from the image, so that the "
                            "host's files are passed in; then "
                            "start the container anew."}};
  } else {
    finding.explanation =
        "The libraries were upgraded while the old module stayed in the running kernel. CUDA and NVML refuse to work "
        "with a module of "
        "another version.";
    finding.fix = {
        {.text = "Reboot: the new module is loaded then.", .command = host_command(snapshot, "sudo reboot")}};
  }
  return finding;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "WSL's driver has no kernel module on this side");
  // NVML refuses a module of another version, so where it starts the two agree.
  if (nvidia::cuda_works(snapshot) || nvidia::nvml(snapshot).outcome() == Outcome::absent) return answers.passed(id);

  const nvidia::Versions versions = nvidia::versions(snapshot);
  if (nvidia::nvml(snapshot).is(nvml_error::lib_rm_version_mismatch)) {
    auto proof = nvidia::nvml_evidence(snapshot);
    if (versions.differ()) proof = nvidia::joined(std::move(proof), versions.evidence);
    tell(snapshot, Confidence::certain, std::move(proof), answers);
    return;
  }
  const bool compat = compat_library_suspected(snapshot);
  const Text cuinit = nvidia::cuinit(snapshot);
  if (versions.differ() && !compat) {
    // A program that compares the two complains of what it could not do.
    const bool fails = cuinit.get() || nvidia::nvml(snapshot).get() || versions.told_to_differ;
    tell(snapshot, fails ? Confidence::certain : Confidence::likely, versions.evidence, answers);
    return;
  }
  // Without versions: on a bare host these two codes come from an upgrade without a reboot.
  if (!compat && in_container(snapshot).is(false) &&
      (cuinit.is(cuda_error::system_driver_mismatch) || cuinit.is(cuda_error::compat_not_supported_on_device))) {
    tell(snapshot, Confidence::likely, nvidia::cuinit_evidence(snapshot), answers);
    return;
  }
  if (compat) return answers.not_applicable(id, "libcuda comes from a compatibility package");
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text user = of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  if (nvidia::kernel_driver_runs(snapshot).is(false))
    return answers.not_applicable(id, "the kernel module is not loaded");
  if (nvidia::user_space_installed(snapshot).is(false))
    return answers.not_applicable(id, "the driver's libraries are not found");
  if (!kernel.get()) return answers.unknown(id, why_unknown("/nvidia/kernel_driver_version", kernel));
  if (!user.get()) return answers.unknown(id, why_unknown("/nvidia/userspace_driver_version", user));
  answers.passed(id);
}

}  // namespace

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
          "driver "
          "packages from the image.",
      .explains = with_unusable_driver({"driver.init-failed", "driver.gpu-init-failed", "driver.compat-package",
                                        "driver.too-old", "opencl.icd-broken"}),
      .symptoms =
          {
              {{duplicate, "driver-library-in-image"}, possible},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_version_mismatch
