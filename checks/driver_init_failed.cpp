// driver.init-failed: everything the driver needs is there and cuInit fails, with an error that names no cause.
#include <algorithm>
#include <array>

#include "checks/distro.h"
#include "checks/nvidia.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.init-failed";

// Errors that name their cause, or are no fault of the driver; each is another check's. The last ones come from a
// program's own mistakes or from a machine without a visible device.
constexpr std::array others{"CUDA_ERROR_NO_DEVICE",
                            "CUDA_ERROR_STUB_LIBRARY",
                            "CUDA_ERROR_SYSTEM_NOT_READY",
                            "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
                            "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
                            "CUDA_ERROR_DEVICE_UNAVAILABLE",
                            "CUDA_ERROR_OUT_OF_MEMORY",
                            "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED",
                            "CUDA_ERROR_NOT_INITIALIZED",
                            "CUDA_ERROR_INVALID_DEVICE",
                            "CUDA_ERROR_ECC_UNCORRECTABLE",
                            "CUDA_ERROR_NO_BINARY_FOR_GPU",
                            "CUDA_ERROR_INVALID_IMAGE",
                            "CUDA_ERROR_INVALID_PTX",
                            "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
                            "CUDA_ERROR_ILLEGAL_ADDRESS",
                            "CUDA_ERROR_ILLEGAL_INSTRUCTION",
                            "CUDA_ERROR_MISALIGNED_ADDRESS",
                            "CUDA_ERROR_HARDWARE_STACK_ERROR",
                            "CUDA_ERROR_ASSERT",
                            "CUDA_ERROR_LAUNCH_FAILED",
                            "CUDA_ERROR_LAUNCH_TIMEOUT",
                            "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"};

// What explains the error better, if it is known.
std::string better_cause(const Snapshot& snapshot) {
  if (nvidia::kernel_driver_runs(snapshot).is(false)) return "no NVIDIA kernel driver runs";
  if (nvidia::nvml(snapshot).is("NVML_ERROR_LIB_RM_VERSION_MISMATCH"))
    return "module and library have different versions";
  for (const DeviceNode* node : nodes_under(snapshot, "/dev/nvidia")) {
    if (node->accessible.is(false) && (node->error.is("EACCES") || node->error.is("EPERM")) &&
        !node->path.get()->starts_with("/dev/nvidia-caps") && !node->path.get()->starts_with("/dev/nvidia-modeset"))
      return *node->path.get() + " may not be opened";
  }
  if (snapshot.device_nodes.get() && !node_of(snapshot, "/dev/nvidia-uvm")) return "/dev/nvidia-uvm is missing";
  return {};
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::cuda_works(snapshot)) return answers.sound(id);
  const Text cuinit = nvidia::cuinit(snapshot);
  if (cuinit.outcome() == Outcome::absent) return answers.sound(id);
  if (nvidia::libcuda(snapshot).outcome() == Outcome::absent) return answers.not_applicable(id, "libcuda is not found");
  if (!cuinit.get()) return answers.unknown(id, why_unknown("/nvidia/cuinit_error", cuinit));
  if (!cuinit.get()->starts_with("CUDA_ERROR_") || std::ranges::find(others, *cuinit.get()) != others.end())
    return answers.not_applicable(id, "cuInit answers " + *cuinit.get() + ", which other checks judge");
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "under WSL this is driver.wsl");
  if (const std::string cause = better_cause(snapshot); !cause.empty()) return answers.not_applicable(id, cause);

  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  const bool nodes_seen = snapshot.device_nodes.get() != nullptr;
  finding.confidence = nodes_seen ? Confidence::certain : Confidence::likely;
  finding.explanation =
      "cuInit answers " + *cuinit.get() +
      ". NVML and nvidia-smi don't need the module nvidia_uvm and often work all the same; after a suspend "
      "that module is left unusable on some machines. CUDA_VISIBLE_DEVICES, which PyTorch's message names, is seldom "
      "involved.";
  finding.evidence = {nvidia::cuinit_evidence(snapshot)};
  if (nvidia::nvml(snapshot).outcome() == Outcome::absent)
    finding.evidence.push_back(seen("/nvidia/nvml_error", "none: NVML works"));
  finding.fix = {
      {.text = on_the_host(snapshot) + "reload the module while no program uses the GPU.",
       .command = host_command(snapshot, "sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm")},
      {.text = on_the_host(snapshot) + "if that doesn't help, reboot, and read what the kernel log says of NVRM.",
       .command = host_command(snapshot, "sudo dmesg | grep -iE 'nvrm|nvidia|xid'")}};
}

}  // namespace

Check driver_init_failed() { return {{id}, run}; }

}  // namespace envdoctor
