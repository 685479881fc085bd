#include "kernels/devices/targets.h"

#include <fmt/format.h>

#include <map>

namespace envdoctor::kernels {
namespace {

using Use = Occupancy::Use;

constexpr std::int64_t idle_percent = 5;  // a desktop's own share

const NvidiaDevice* card_at(const Nvidia& nvidia, const std::string& address) {
  if (!nvidia.devices.get() || address.empty()) return nullptr;
  for (const NvidiaDevice& device : *nvidia.devices.get()) {
    if (device.pci_address.is(address)) return &device;
  }
  return nullptr;
}

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

Occupancy occupancy_of(const Target& target, const Snapshot& snapshot) {
  if (target.is_cpu) return {Use::free};
  const Nvidia* nvidia = snapshot.nvidia.get();
  const NvidiaDevice* card = nvidia ? card_at(*nvidia, target.gpu) : nullptr;
  if (!card) return {Use::unknown, "could not determine whether other processes use this device"};
  if (nvidia->processes.get() && card->index.get()) {
    for (const NvidiaProcess& process : *nvidia->processes.get()) {
      if (process.gpu.get() && *process.gpu.get() == *card->index.get())
        return {Use::busy,
                process.pid.get() ? fmt::format("process {} uses it", *process.pid.get()) : "another process uses it"};
    }
  }
  const std::int64_t* load = card->utilization_percent.get();
  if (load && *load > idle_percent) return {Use::busy, fmt::format("its load is {} %", *load)};
  // In a container NVML lists no processes of others, so their absence alone proves nothing.
  if (!load || !nvidia->processes.get())
    return {Use::unknown, "could not determine whether other processes use this device"};
  return {Use::free};
}

}  // namespace envdoctor::kernels
