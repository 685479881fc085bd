// driver.version-mismatch: kernel module and libraries of different versions. A host that was upgraded and not
// rebooted, or driver files inside an image.
#include "checks/compat_library.h"
#include "checks/distro.h"
#include "knowledge/drivers.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.version-mismatch";

Finding& tell(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> evidence, Answers& answers) {
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.evidence = std::move(evidence);
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

// Both versions are known. Empty: they agree.
std::vector<Evidence> different_versions(const Snapshot& snapshot) {
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text user = of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  if (!kernel.get() || !user.get() || knowledge::compare_versions(*kernel.get(), *user.get()) == 0) return {};
  return {seen("/nvidia/kernel_driver_version", *kernel.get()), seen("/nvidia/userspace_driver_version", *user.get())};
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "WSL's driver has no kernel module on this side");
  // NVML refuses a module of another version, so where it starts the two agree.
  if (nvidia::cuda_works(snapshot) || nvidia::nvml(snapshot).outcome() == Outcome::absent) return answers.sound(id);

  auto versions = different_versions(snapshot);
  if (nvidia::nvml(snapshot).is("NVML_ERROR_LIB_RM_VERSION_MISMATCH")) {
    versions.insert(versions.begin(), nvidia::nvml_evidence(snapshot));
    tell(snapshot, Confidence::certain, std::move(versions), answers);
    return;
  }
  const bool compat = compat_library_suspected(snapshot);
  if (!versions.empty() && !compat) {
    const bool fails = nvidia::cuinit(snapshot).get() || nvidia::nvml(snapshot).get();
    tell(snapshot, fails ? Confidence::certain : Confidence::likely, std::move(versions), answers);
    return;
  }
  // Without versions: on a bare host these two codes come from an upgrade without a reboot.
  const Text cuinit = nvidia::cuinit(snapshot);
  if (!compat && in_container(snapshot).is(false) &&
      (cuinit.is("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH") || cuinit.is("CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"))) {
    tell(snapshot, Confidence::likely, {nvidia::cuinit_evidence(snapshot)}, answers);
    return;
  }
  if (!compat) {
    for (const LogEvent* line : events_of(snapshot, "driver-versions-differ")) {
      const auto field = [&](const char* name) { return line->fields.contains(name) ? line->fields.at(name) : "?"; };
      tell(snapshot, Confidence::likely, {seen(*line, "kernel " + field("kernel") + ", library " + field("library"))},
           answers);
      return;
    }
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
  answers.sound(id);
}

}  // namespace

Check driver_version_mismatch() { return {{id}, run}; }

}  // namespace envdoctor
