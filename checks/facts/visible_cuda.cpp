#include <algorithm>
#include <numeric>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor {
namespace {

// The instances' UUIDs; one without a name where MIG is on and they are not listed.
Selectable selectable(const NvidiaDevice& device) {
  Selectable one{.uuid = text_of(device.uuid), .mig = device.mig.is(true)};
  if (!one.mig) return one;
  if (!device.mig_devices.get()) one.instances.emplace_back();
  for (const MigDevice& instance : device.mig_devices.or_empty()) one.instances.push_back(text_of(instance.uuid));
  return one;
}

Basis of_cuda(const std::vector<CudaDevice>& devices) {
  Basis basis{.devices = cuda_list(devices)};
  for (const VisibleDevice& device : basis.devices) basis.selectable.push_back({.uuid = device.uuid});
  return basis;
}

void take_from_bus(Basis& basis, const Snapshot& snapshot) {
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor != Vendor::nvidia || !gpu.granted || gpu.driver != "nvidia") continue;
    basis.devices.push_back(visible(gpu));
    basis.selectable.emplace_back();
  }
}

// An unfiltered list of CUDA gives the order; otherwise the order of different GPUs is a guess.
void put_in_cuda_order(Basis& basis, const Snapshot& snapshot) {
  if (env_of(snapshot, "CUDA_DEVICE_ORDER").is("PCI_BUS_ID")) return;
  const bool mixed =
      std::ranges::any_of(basis.devices, [&](const VisibleDevice& d) { return d.name != basis.devices.front().name; });
  if (!mixed) return;

  const auto cuda = cuda_list(of(snapshot.nvidia, &Nvidia::cuda_devices).or_empty());
  const bool unfiltered = env_of(snapshot, "CUDA_VISIBLE_DEVICES").outcome() == Outcome::absent;
  std::vector<std::size_t> order(basis.devices.size());
  std::iota(order.begin(), order.end(), 0);
  if (unfiltered && cuda.size() == basis.devices.size()) {
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      const VisibleDevice* same = find_same(cuda, basis.devices[i]);
      return same ? same - cuda.data() : std::ssize(cuda);
    });
  } else {
    // CUDA's measure of "fastest" is not published; the newest generation, then the largest memory, is the best guess.
    basis.order_guessed = true;
    const auto& nvml = of(snapshot.nvidia, &Nvidia::devices).or_empty();
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      if (basis.devices[a].listed < 0 || basis.devices[b].listed < 0) return false;
      const NvidiaDevice& left = nvml[static_cast<std::size_t>(basis.devices[a].listed)];
      const NvidiaDevice& right = nvml[static_cast<std::size_t>(basis.devices[b].listed)];
      const int newer =
          knowledge::compare_versions(text_of(left.compute_capability), text_of(right.compute_capability));
      if (newer != 0) return newer > 0;
      return left.memory_total_mib.get() && right.memory_total_mib.get() &&
             *left.memory_total_mib.get() > *right.memory_total_mib.get();
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
  const auto worked_out = std::exchange(list.hidden, {});
  list.observed = true;
  list.order_guessed = false;
  list.unknown.clear();
  list.devices = cuda_list(cuda);
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
      continue;  // nothing distinguishes them, and the number is the same
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
  if (nvml.or_empty().empty() && unfiltered && cuda.get()) return of_cuda(*cuda.get());
  if (!nvml.or_empty().empty()) {
    basis.devices = nvml_list(*nvml.get());
    for (const NvidiaDevice& device : *nvml.get()) basis.selectable.push_back(selectable(device));
  } else {
    take_from_bus(basis, snapshot);
  }
  if (basis.devices.empty() && !nvml.get()) basis.unknown = why_unknown("/nvidia/devices", nvml);
  put_in_cuda_order(basis, snapshot);
  return basis;
}

VisibleList visible_to_cuda(const Snapshot& snapshot) {
  const Basis basis = cuda_basis(snapshot);
  VisibleList list{.stack = "cuda", .order_guessed = basis.order_guessed, .unknown = basis.unknown};
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  apply(list, basis,
        variable.get() ? select_cuda(*variable.get(), basis.selectable) : select_cuda_default(basis.selectable),
        "CUDA_VISIBLE_DEVICES", variable.or_empty());
  if (!variable.get()) list.filters.clear();
  if (variable.outcome() == Outcome::failed || variable.outcome() == Outcome::not_probed)
    list.unknown = why_unknown("/env/CUDA_VISIBLE_DEVICES", variable);
  if (const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices); cuda.get()) file_observed(list, basis, *cuda.get());
  hide_what_was_not_given(list, snapshot, Vendor::nvidia);
  return list;
}

}  // namespace envdoctor
