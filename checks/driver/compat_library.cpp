#include "checks/driver/compat_library.h"

#include "knowledge/gpus/drivers.h"

namespace envdoctor {
namespace {

std::string branch(const std::string& version) { return version.substr(0, version.find('.')); }

}  // namespace

std::optional<Evidence> compat_path(const Snapshot& snapshot) {
  if (nvidia::libcuda(snapshot).or_empty().find("/compat/") == std::string::npos) return std::nullopt;
  return nvidia::libcuda_evidence(snapshot);
}

std::vector<Evidence> compat_signs(const Snapshot& snapshot) {
  if (nvidia::on_wsl(snapshot) || nvidia::on_platform(snapshot, "windows")) return {};
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text cuda = of(snapshot.nvidia, &Nvidia::cuda_driver_version);
  const nvidia::Versions versions = nvidia::versions(snapshot);
  // NVML compares the libraries of the driver itself: where they don't fit the module, no package is needed to explain
  // what else doesn't.
  if (versions.kernel.empty() || nvidia::nvml(snapshot).is(nvml_error::lib_rm_version_mismatch)) return {};
  // On a bare host a newer library of the driver brings its newer CUDA along.
  const bool upgraded = versions.differ() && !nvidia::contained(snapshot);
  if (kernel.get() && cuda.get() && !upgraded) {
    const auto own = knowledge::max_cuda_of_driver(*kernel.get());
    if (own && knowledge::compare_versions(*cuda.get(), *own) > 0)
      return {evidence("/nvidia/kernel_driver_version", *kernel.get()),
              evidence("/nvidia/cuda_driver_version", *cuda.get())};
  }
  // The package brings a library of a newer branch into an image; an upgrade on the host mostly stays in its branch.
  const bool newer = !versions.user.empty() && knowledge::compare_versions(versions.user, versions.kernel) > 0 &&
                     branch(versions.user) != branch(versions.kernel);
  if (newer && nvidia::contained(snapshot)) return versions.evidence;
  return {};
}

bool compat_library_suspected(const Snapshot& snapshot) {
  return compat_path(snapshot).has_value() || !compat_signs(snapshot).empty();
}

}  // namespace envdoctor
