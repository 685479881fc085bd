#include "checks/memory/gpu_memory.h"

#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"

namespace envdoctor {
namespace {

const NvidiaDevice& device_of(const Snapshot& snapshot, std::size_t index) {
  return (*snapshot.nvidia.get()->devices.get())[index];
}

}  // namespace

GpuMemories visible_gpu_memory(const Snapshot& snapshot) {
  GpuMemories seen;
  const VisibleList visible = visible_to_cuda(snapshot);
  const auto& devices = *snapshot.nvidia.get()->devices.get();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const NvidiaDevice& device = devices[i];
    const bool hidden = std::ranges::any_of(
        visible.hidden, [&](const HiddenDevice& h) { return h.device.listed == static_cast<int>(i); });
    if ((hidden && !visible.devices.empty()) || device.mig.is(true)) continue;
    const auto *total = device.memory_total_mib.get(), *free = device.memory_free_mib.get();
    if (total && free && *total > 0)
      seen.gpus.push_back({i, *total, *free});
    else
      seen.all_known =
          seen.all_known && device.memory_total_mib.outcome() == Outcome::absent;  // the processor's memory
  }
  return seen;
}

bool nearly_full(const GpuMemory& gpu) {
  constexpr double share = 0.10;
  return static_cast<double>(gpu.free_mib) <= static_cast<double>(gpu.total_mib) * share;
}

std::string subject_of(const Snapshot& snapshot, const GpuMemory& gpu) {
  const std::string address = text_of(device_of(snapshot, gpu.index).pci_address);
  return address.empty() ? "cuda:" + std::to_string(gpu.index) : "gpu:" + normal_address(address);
}

Evidence free_memory_seen(const GpuMemory& gpu) {
  return evidence(at("/nvidia/devices", gpu.index, "memory_free_mib"),
                  std::to_string(gpu.free_mib) + " of " + std::to_string(gpu.total_mib) + " MiB");
}

std::string holders(const Snapshot& snapshot, const GpuMemory& gpu, std::vector<Evidence>& proof) {
  const NvidiaDevice& device = device_of(snapshot, gpu.index);
  const std::int64_t index = device.index.value_or(static_cast<std::int64_t>(gpu.index));
  const auto& processes = of(snapshot.nvidia, &Nvidia::processes).or_empty();
  std::string text;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const NvidiaProcess& process = processes[i];
    if (!process.gpu.is(index) || !process.pid.get() || !process.memory_mib.get()) continue;
    const std::string one = "process " + std::to_string(*process.pid.get()) +
                            (process.name.get() ? " (" + *process.name.get() + ")" : "") + ": " +
                            std::to_string(*process.memory_mib.get()) + " MiB";
    text += (text.empty() ? "" : ", ") + one;
    proof.push_back(evidence(at("/nvidia/processes", i), one));
  }
  return text;
}

}  // namespace envdoctor
