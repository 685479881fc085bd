#include "kernels/devices/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace envdoctor::kernels {
namespace {

using Use = Occupancy::Use;

constexpr std::int64_t idle_percent = 5;  // the desktop's own load

const NvidiaDevice* card_at(const Nvidia& nvidia, const std::string& address) {
  const auto& devices = nvidia.devices.or_empty();
  const auto found =
      std::ranges::find_if(devices, [&](const NvidiaDevice& device) { return device.pci_address.is(address); });
  return address.empty() || found == devices.end() ? nullptr : &*found;
}

// The driver's file, if it passed its probe.
const std::string* library_of(const Opencl& opencl, const OpenclPlatform& platform) {
  for (const OpenclIcd& icd : opencl.icds.or_empty()) {
    if (platform.icd.get() && icd.file.is(*platform.icd.get()) && icd.loads.is(true) && !icd.step.get())
      return icd.path.get() ? icd.path.get() : icd.library.get();
  }
  return nullptr;
}

void add_opencl(const Opencl& opencl, const std::string& layers, std::vector<Target>& targets) {
  std::map<std::string, int> platforms_of_driver, devices_of_name;
  for (const OpenclPlatform& platform : opencl.platforms.or_empty()) {
    const std::string* library = library_of(opencl, platform);
    if (!library) continue;
    const int platform_index = platforms_of_driver[*library]++;
    if (!platform.name.get()) continue;
    int index = 0;
    for (const OpenclDevice& device : platform.devices.or_empty()) {
      Target target{.backend = "opencl",
                    .library = layers.empty() ? *library : layers,
                    .through_loader = !layers.empty(),
                    .platform = *platform.name.get(),
                    .platform_index = platform_index,
                    .index = index++,
                    .gpu = device.pci_address.or_empty(),
                    .is_cpu = device.type.is("cpu")};
      if (!device.name.get()) continue;
      target.subject = fmt::format("opencl:{}/{}", *platform.name.get(), *device.name.get());
      // Two cards of one kind have one name.
      if (const int before = devices_of_name[target.subject]++; before > 0)
        target.subject += fmt::format(" #{}", before + 1);
      targets.push_back(std::move(target));
    }
  }
}

void add_cuda(const Nvidia& nvidia, std::vector<Target>& targets) {
  if (!nvidia.cuda_library.get()) return;
  for (const CudaDevice& device : nvidia.cuda_devices.or_empty()) {
    if (const std::int64_t* ordinal = device.ordinal.get())
      targets.push_back({.subject = fmt::format("cuda:{}", *ordinal),
                         .backend = "cuda",
                         .library = *nvidia.cuda_library.get(),
                         .index = static_cast<int>(*ordinal),
                         .gpu = device.pci_address.or_empty()});
  }
}

}  // namespace

std::vector<Target> targets_of(const Snapshot& snapshot, const std::string& layers) {
  std::vector<Target> targets;
  add_cuda(snapshot.nvidia.or_empty(), targets);
  add_opencl(snapshot.opencl.or_empty(), layers, targets);
  targets.push_back({.subject = "host", .backend = "host", .is_cpu = true});
  return targets;
}

Occupancy occupancy_of(const Target& target, const Snapshot& snapshot) {
  if (target.is_cpu) return {Use::free};
  const Nvidia& nvidia = snapshot.nvidia.or_empty();
  const NvidiaDevice* card = card_at(nvidia, target.gpu);
  if (!card) return {Use::unknown, "could not determine whether other processes use this device"};
  for (const NvidiaProcess& process : nvidia.processes.or_empty()) {
    if (card->index.get() && process.gpu.is(*card->index.get()))
      return {Use::busy,
              process.pid.get() ? fmt::format("process {} uses it", *process.pid.get()) : "another process uses it"};
  }
  const std::int64_t* load = card->utilization_percent.get();
  if (load && *load > idle_percent) return {Use::busy, fmt::format("its load is {} %", *load)};
  // In a container NVML lists no processes of others, so an empty list proves nothing.
  if (!load || !nvidia.processes.get())
    return {Use::unknown, "could not determine whether other processes use this device"};
  return {Use::free};
}

}  // namespace envdoctor::kernels
