#include <fmt/format.h>

#include <map>

#include "kernels/verify.h"

namespace envdoctor::kernels {
namespace {

// The driver's file, if it came through what the probe did to it.
const std::string* library_of(const Opencl& opencl, const OpenclPlatform& platform) {
  if (!opencl.icds.get() || !platform.icd.get()) return nullptr;
  for (const OpenclIcd& icd : *opencl.icds.get()) {
    if (icd.file.get() && *icd.file.get() == *platform.icd.get() && icd.loads.is(true) && !icd.step.get())
      return icd.path.get() ? icd.path.get() : icd.library.get();
  }
  return nullptr;
}

void add_opencl(const Opencl& opencl, const std::string& layers, std::vector<Target>& targets) {
  if (!opencl.platforms.get()) return;
  std::map<std::string, int> platforms_of_driver, devices_of_name;
  for (const OpenclPlatform& platform : *opencl.platforms.get()) {
    const std::string* library = library_of(opencl, platform);
    if (!library) continue;
    const int platform_index = platforms_of_driver[*library]++;
    if (!platform.devices.get() || !platform.name.get()) continue;
    int index = 0;
    for (const OpenclDevice& device : *platform.devices.get()) {
      Target target{.backend = "opencl",
                    .library = layers.empty() ? *library : layers,
                    .through_loader = !layers.empty(),
                    .platform = *platform.name.get(),
                    .platform_index = platform_index,
                    .index = index++};
      if (!device.name.get()) continue;
      target.subject = fmt::format("opencl:{}/{}", *platform.name.get(), *device.name.get());
      // Two cards of one kind have one name.
      if (const int before = devices_of_name[target.subject]++; before > 0)
        target.subject += fmt::format(" #{}", before + 1);
      if (device.pci_address.get()) target.gpu = *device.pci_address.get();
      target.is_cpu = device.type.is("cpu");
      targets.push_back(std::move(target));
    }
  }
}

void add_cuda(const Nvidia& nvidia, std::vector<Target>& targets) {
  if (!nvidia.cuda_devices.get() || !nvidia.cuda_library.get()) return;
  for (const CudaDevice& device : *nvidia.cuda_devices.get()) {
    if (!device.ordinal.get()) continue;
    Target target{.subject = fmt::format("cuda:{}", *device.ordinal.get()),
                  .backend = "cuda",
                  .library = *nvidia.cuda_library.get(),
                  .index = static_cast<int>(*device.ordinal.get())};
    if (device.pci_address.get()) target.gpu = *device.pci_address.get();
    targets.push_back(std::move(target));
  }
}

}  // namespace

std::vector<Target> targets_of(const Snapshot& snapshot, const std::string& layers) {
  std::vector<Target> targets;
  if (snapshot.nvidia.get()) add_cuda(*snapshot.nvidia.get(), targets);
  if (snapshot.opencl.get()) add_opencl(*snapshot.opencl.get(), layers, targets);
  targets.push_back({.subject = "host", .backend = "host", .is_cpu = true});
  return targets;
}

}  // namespace envdoctor::kernels
