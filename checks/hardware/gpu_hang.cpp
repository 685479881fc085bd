// hardware.gpu-hang: the kernel's watchdog found that the GPU no longer processes its queue.
#include "checks/engine/rule.h"

namespace envdoctor::hardware_gpu_hang {

using enum SymptomClass;

bool gone(const Facts& facts) { return facts.saw({{lost, "pci-device"}, {lost, "gpu"}, {lost, "amd-gpu"}}); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.gpu-hang",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "The GPU hung, and the kernel's watchdog reset it",
      .claim =
          "A queue of the GPU made no progress in time, so the kernel driver stopped its work and reset it; what ran "
          "on it then ended.",
      .proof = "The kernel driver's own words of a hang, a ring's timeout or a reset.",
      .disproof = "The same work runs to its end, with nothing about the GPU in the kernel log.",
      .remedy =
          "Update kernel, firmware and the GPU's user-space driver together; take back overclocking and undervolting, "
          "and look at power and heat. If one program alone does it, report it with the kernel's dump.",
      .explains = {"driver.unreachable", "driver.init-failed", "usage.program-fault", "usage.detected-unused"},
      .symptoms =
          {
              {{lost, "amd-gpu-answers"}, possible},
              {{timed_out, "gpu-process"}, possible},
              {{timed_out, "cuda-kernel"}, possible},
              {{lost, "device-of-program"}, possible},
              {{crashed, "gpu"}, possible, gone},
              {{crashed, "gpu"}, likely, [](const Facts& f) { return !gone(f); }},
          },
  };
}

}  // namespace envdoctor::hardware_gpu_hang
