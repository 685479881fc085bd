#include "checks/engine/rule.h"

namespace envdoctor::driver_kernel_runtime_incompatible {

using enum SymptomClass;
Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.kernel-runtime-incompatible",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The GPU runtime and the kernel driver don't work together",
      .claim = "The compute runtime is too old, or too new, for the kernel driver that runs the GPU.",
      .proof =
          "The render node opens, the compute runtime finds no device, and kernel driver and runtime are a pair known "
          "to fail.",
      .disproof = "The runtime lists the GPU.",
      .remedy = "Update the compute runtime to one that knows this kernel's driver.",
      .explains = {"opencl.icd-no-device", "opencl.no-platform", "opencl.cpu-only"},
      .symptoms =
          {
              {{mismatch, "amd-kernel-driver-and-runtime"}, likely},
              {{mismatch, "intel-gpu-kernel-driver"}, possible},
          },
  };
}

}  // namespace envdoctor::driver_kernel_runtime_incompatible
