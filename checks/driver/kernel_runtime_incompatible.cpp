// driver.kernel-runtime-incompatible: the kernel driver and the libraries that use it are of incompatible releases.
#include <cstdlib>

#include "checks/engine/rule.h"

namespace envdoctor::driver_kernel_runtime_incompatible {

using enum SymptomClass;

// A Jetson's kernel driver comes with the board's release and its libraries with the image's. Since release 34 images
// of older ones run; earlier ones, and images newer than the board's release, don't.
bool image_of_another_release(const Facts& facts) {
  const Symptom* board = facts.first({{noted, "l4t-host"}});
  const Symptom* image = facts.first({{noted, "l4t-image"}});
  if (!board || !image || facts.used()) return false;
  constexpr int first_that_takes_older = 34;
  const int host = std::atoi(board->detail("release").c_str()), wanted = std::atoi(image->detail("release").c_str());
  return wanted > host || (wanted < first_that_takes_older && host >= first_that_takes_older);
}

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
      .explains = {"driver.unreachable", "opencl.icd-no-device", "opencl.no-platform", "opencl.cpu-only"},
      .symptoms =
          {
              helped_by("other-kernel-driver"),
              {{mismatch, "amd-kernel-driver-and-runtime"}, likely},
              {{mismatch, "intel-gpu-kernel-driver"}, possible},
              {{noted, "l4t-image"}, likely, image_of_another_release},
          },
  };
}

}  // namespace envdoctor::driver_kernel_runtime_incompatible
