#include "checks/compat_library.h"

#include "knowledge/drivers.h"

namespace envdoctor {

std::optional<Evidence> compat_path(const Snapshot& snapshot) {
  const Text path = nvidia::libcuda(snapshot);
  if (!path.get() || path.get()->find("/compat/") == std::string::npos) return std::nullopt;
  return nvidia::libcuda_evidence(snapshot);
}

std::vector<Evidence> compat_signs(const Snapshot& snapshot) {
  if (nvidia::on_wsl(snapshot) || nvidia::on_platform(snapshot, "windows")) return {};
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text cuda = of(snapshot.nvidia, &Nvidia::cuda_driver_version);
  const Text user = of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  if (!kernel.get()) return {};
  if (cuda.get()) {
    const auto own = knowledge::max_cuda_of_driver(*kernel.get());
    if (own && knowledge::compare_versions(*cuda.get(), *own) > 0)
      return {seen("/nvidia/kernel_driver_version", *kernel.get()), seen("/nvidia/cuda_driver_version", *cuda.get())};
  }
  const bool newer = user.get() && knowledge::compare_versions(*user.get(), *kernel.get()) > 0;
  if (newer && nvidia::contained(snapshot) && !nvidia::nvml(snapshot).is("NVML_ERROR_LIB_RM_VERSION_MISMATCH"))
    return {seen("/nvidia/kernel_driver_version", *kernel.get()),
            seen("/nvidia/userspace_driver_version", *user.get())};
  return {};
}

bool compat_library_suspected(const Snapshot& snapshot) {
  return compat_path(snapshot).has_value() || !compat_signs(snapshot).empty();
}

}  // namespace envdoctor
