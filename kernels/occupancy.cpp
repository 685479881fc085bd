#include "kernels/occupancy.h"

#include <fmt/format.h>

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

}  // namespace

Occupancy occupancy_of(const Target& target, const Snapshot& snapshot) {
  if (target.is_cpu) return {Use::free};
  const Nvidia* nvidia = snapshot.nvidia.get();
  const NvidiaDevice* card = nvidia ? card_at(*nvidia, target.gpu) : nullptr;
  if (!card) return {Use::unknown, "whether others use this device is not known"};
  if (nvidia->processes.get() && card->index.get()) {
    for (const NvidiaProcess& process : *nvidia->processes.get()) {
      if (process.gpu.get() && *process.gpu.get() == *card->index.get())
        return {Use::busy, process.pid.get() ? fmt::format("process {} computes there", *process.pid.get())
                                             : "another process computes there"};
    }
  }
  const std::int64_t* load = card->utilization_percent.get();
  if (load && *load > idle_percent) return {Use::busy, fmt::format("it is at {} % load", *load)};
  // In a container NVML lists no processes of others, so their absence alone proves nothing.
  if (!load || !nvidia->processes.get()) return {Use::unknown, "whether others use this device is not known"};
  return {Use::free};
}

}  // namespace envdoctor::kernels
