#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor {
namespace {

// The instances' UUIDs; one without a name where MIG is on and nobody listed them.
Selectable selectable(const NvidiaDevice& device) {
  Selectable one{.uuid = text_of(device.uuid), .mig = device.mig.is(true)};
  if (!one.mig) return one;
  const auto* instances = device.mig_devices.get();
  if (!instances) {
    one.instances.emplace_back();
    return one;
  }
  for (const MigDevice& instance : *instances) one.instances.push_back(text_of(instance.uuid));
  return one;
}

void take_from_nvml(Basis& basis, const std::vector<NvidiaDevice>& devices) {
  basis.devices = nvml_list(devices);
  for (const NvidiaDevice& device : devices) basis.selectable.push_back(selectable(device));
}

void take_from_cuda(Basis& basis, const std::vector<CudaDevice>& devices) {
  basis.devices = cuda_list(devices);
  for (const VisibleDevice& device : basis.devices) basis.selectable.push_back({.uuid = device.uuid});
}

void take_from_bus(Basis& basis, const Snapshot& snapshot) {
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor != Vendor::nvidia || !gpu.granted || gpu.driver != "nvidia") continue;
    basis.devices.push_back({{}, gpu.address, gpu.name, -1});
    basis.selectable.emplace_back();
  }
}

// CUDA's own list where it was taken without a filter tells the order; else different GPUs leave only a guess.
void put_in_cuda_order(Basis& basis, const Snapshot& snapshot) {
  if (env_of(snapshot, "CUDA_DEVICE_ORDER").is("PCI_BUS_ID")) return;
  const bool mixed =
      std::ranges::any_of(basis.devices, [&](const VisibleDevice& d) { return d.name != basis.devices.front().name; });
  const auto listed = of(snapshot.nvidia, &Nvidia::cuda_devices);
  const bool unfiltered = env_of(snapshot, "CUDA_VISIBLE_DEVICES").outcome() == Outcome::absent;
  if (!mixed) return;

  std::vector<std::size_t> order(basis.devices.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (unfiltered && listed.get() && listed.get()->size() == basis.devices.size()) {
    Basis cuda;
    take_from_cuda(cuda, *listed.get());
    const auto rank = [&](std::size_t i) {
      return std::ranges::find_if(cuda.devices,
                                  [&](const VisibleDevice& d) { return same_device(d, basis.devices[i]); }) -
             cuda.devices.begin();
    };
    std::ranges::stable_sort(order, {}, rank);
  } else {
    // CUDA's measure of "fastest" is not published; the newest generation, then the largest memory, is the best guess.
    basis.order_guessed = true;
    const auto* nvml = of(snapshot.nvidia, &Nvidia::devices).get() ? snapshot.nvidia.get()->devices.get() : nullptr;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      if (!nvml || basis.devices[a].listed < 0 || basis.devices[b].listed < 0) return false;
      const NvidiaDevice& left = (*nvml)[static_cast<std::size_t>(basis.devices[a].listed)];
      const NvidiaDevice& right = (*nvml)[static_cast<std::size_t>(basis.devices[b].listed)];
      const int newer =
          knowledge::compare_versions(text_of(left.compute_capability), text_of(right.compute_capability));
      if (newer != 0) return newer > 0;
      const auto* more = left.memory_total_mib.get();
      const auto* less = right.memory_total_mib.get();
      return more && less && *more > *less;
    });
  }
  Basis sorted{.order_guessed = basis.order_guessed};
  for (const std::size_t i : order) {
    sorted.devices.push_back(basis.devices[i]);
    sorted.selectable.push_back(basis.selectable[i]);
  }
  basis = std::move(sorted);
}

void file_observed(VisibleList& list, const Basis& basis, const std::vector<CudaDevice>& cuda) {
  Basis seen;
  take_from_cuda(seen, cuda);
  const auto worked_out = list.hidden;
  list.observed = true;
  list.order_guessed = false;
  list.devices = seen.devices;
  list.hidden.clear();
  for (const VisibleDevice& device : basis.devices) {
    const auto same = [&](const VisibleDevice& other) { return same_device(device, other); };
    const auto visible = std::ranges::find_if(list.devices, same);
    if (visible != list.devices.end()) {
      visible->listed = device.listed;
      if (visible->name.empty()) visible->name = device.name;
      continue;
    }
    if (basis.devices.size() == cuda.size() && (device.uuid.empty() || list.devices.front().uuid.empty()) &&
        (device.address.empty() || list.devices.front().address.empty()))
      continue;  // nothing to tell them apart by, and as many as there are
    const auto hidden = std::ranges::find_if(
        worked_out, [&](const HiddenDevice& h) { return same(h.device) || h.device.listed == device.listed; });
    list.hidden.push_back(hidden != worked_out.end() ? *hidden
                                                     : HiddenDevice{device, "driver", "CUDA doesn't list it"});
  }
}

}  // namespace

std::vector<VisibleDevice> nvml_list(const std::vector<NvidiaDevice>& devices) {
  std::vector<VisibleDevice> all;
  for (const NvidiaDevice& device : devices)
    all.push_back(
        {text_of(device.uuid), address_of(device.pci_address), text_of(device.name), static_cast<int>(all.size())});
  return all;
}

std::vector<VisibleDevice> cuda_list(const std::vector<CudaDevice>& devices) {
  std::vector<VisibleDevice> all;
  for (const CudaDevice& device : devices)
    all.push_back({text_of(device.uuid), address_of(device.pci_address), text_of(device.name), -1});
  return all;
}

Basis cuda_basis(const Snapshot& snapshot) {
  Basis basis;
  const auto nvml = of(snapshot.nvidia, &Nvidia::devices);
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  const bool unfiltered = env_of(snapshot, "CUDA_VISIBLE_DEVICES").outcome() == Outcome::absent;
  if (nvml.get() && !nvml.get()->empty()) {
    take_from_nvml(basis, *nvml.get());
  } else if (unfiltered && cuda.get()) {
    take_from_cuda(basis, *cuda.get());
    return basis;
  } else {
    take_from_bus(basis, snapshot);
  }
  if (basis.devices.empty() && !nvml.get()) basis.unknown = why_unknown("/nvidia/devices", nvml);
  put_in_cuda_order(basis, snapshot);
  return basis;
}

VisibleList visible_to_cuda(const Snapshot& snapshot) {
  VisibleList list{.stack = "cuda"};
  const Basis basis = cuda_basis(snapshot);
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  list.unknown = basis.unknown;
  list.order_guessed = basis.order_guessed;
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (const auto* value = variable.get()) {
    apply(list, basis, select_cuda(*value, basis.selectable), "CUDA_VISIBLE_DEVICES", *value);
  } else {
    apply(list, basis, select_cuda_default(basis.selectable), "CUDA_VISIBLE_DEVICES", {});
    list.filters.clear();
    if (variable.outcome() != Outcome::absent && !cuda.get())
      list.unknown = why_unknown("/env/CUDA_VISIBLE_DEVICES", variable);
  }
  if (cuda.get()) {
    file_observed(list, basis, *cuda.get());
    list.unknown.clear();
  }
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor == Vendor::nvidia && !gpu.granted)
      list.hidden.push_back({{{}, gpu.address, gpu.name, -1}, "grant", "not given to this container or job"});
  }
  return list;
}

}  // namespace envdoctor
