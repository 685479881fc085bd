#include <algorithm>
#include <cctype>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"

namespace envdoctor {
namespace {

void hide_what_was_not_given(VisibleList& list, const Snapshot& snapshot, Vendor vendor) {
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor != vendor || gpu.granted) continue;
    const VisibleDevice device{{}, gpu.address, gpu.name, -1};
    std::erase_if(list.hidden, [&](const HiddenDevice& h) { return same_device(h.device, device); });
    list.hidden.push_back({device, "grant", "not given to this container or job"});
  }
}

// One filter of AMD's chain, if its variable is set; the next one counts what this one left.
void filter(VisibleList& list, Basis& basis, const std::string& name, const std::string& value,
            Selection (*select)(std::string_view, const std::vector<Selectable>&)) {
  const Selection selection = select(value, basis.selectable);
  apply(list, basis, selection, name, value);
  Basis left;
  for (const Selected& one : selection.chosen) {
    left.devices.push_back(basis.devices[one.device]);
    left.selectable.push_back(basis.selectable[one.device]);
  }
  basis = std::move(left);
}

}  // namespace

Basis rocm_basis(const Snapshot& snapshot) {
  Basis basis;
  const auto devices = of(snapshot.rocm, &Rocm::devices);
  if (!devices.get()) {
    basis.unknown = why_unknown("/rocm/devices", devices);
    return basis;
  }
  for (std::size_t i = 0; i < devices.get()->size(); ++i) {
    const RocmDevice& device = (*devices.get())[i];
    std::string uuid = text_of(device.unique_id);
    if (!uuid.empty() && !uuid.starts_with("GPU-")) uuid.insert(0, "GPU-");
    basis.devices.push_back({uuid, address_of(device.pci_address), text_of(device.name), static_cast<int>(i)});
    basis.selectable.push_back({.uuid = uuid});
  }
  return basis;
}

VisibleList visible_to_rocm(const Snapshot& snapshot) {
  VisibleList list{.stack = "rocm"};
  Basis basis = rocm_basis(snapshot);
  list.unknown = basis.unknown;
  list.devices = basis.devices;
  const Text rocr = env_of(snapshot, "ROCR_VISIBLE_DEVICES"), hip = env_of(snapshot, "HIP_VISIBLE_DEVICES");
  const Text cuda = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (const auto* value = rocr.get()) filter(list, basis, "ROCR_VISIBLE_DEVICES", *value, select_rocr);
  if (hip.get() && !hip.get()->empty()) {
    filter(list, basis, "HIP_VISIBLE_DEVICES", *hip.get(), select_hip);
  } else if (cuda.get() && !cuda.get()->empty()) {
    filter(list, basis, "CUDA_VISIBLE_DEVICES", *cuda.get(), select_hip);
  }
  const auto listed = of(snapshot.rocm, &Rocm::hip_devices);
  if (const auto* devices = listed.get()) {
    list.observed = true;
    list.unknown.clear();
    std::vector<VisibleDevice> seen;
    for (const RocmDevice& device : *devices) {
      VisibleDevice one{text_of(device.unique_id), address_of(device.pci_address), text_of(device.name), -1};
      const auto same = std::ranges::find_if(list.devices, [&](const VisibleDevice& d) { return same_device(d, one); });
      if (same != list.devices.end()) one.listed = same->listed;
      seen.push_back(std::move(one));
    }
    list.devices = std::move(seen);
  } else if (!snapshot.env.get() && list.unknown.empty()) {
    list.unknown = why_unknown("/env", snapshot.env);
  }
  hide_what_was_not_given(list, snapshot, Vendor::amd);
  return list;
}

// Level Zero's own list stands after its filter; the bus tells what is missing from it.
VisibleList visible_to_level_zero(const Snapshot& snapshot) {
  VisibleList list{.stack = "level-zero"};
  const auto devices = of(snapshot.level_zero, &LevelZero::devices);
  const Text mask = env_of(snapshot, "ZE_AFFINITY_MASK");
  if (!devices.get()) list.unknown = why_unknown("/level_zero/devices", devices);
  if (devices.get()) {
    list.observed = true;
    for (std::size_t i = 0; i < devices.get()->size(); ++i) {
      const LevelZeroDevice& device = (*devices.get())[i];
      if (device.type.get() && *device.type.get() != "gpu") continue;
      list.devices.push_back({{}, address_of(device.pci_address), text_of(device.name), static_cast<int>(i)});
    }
  }
  const bool filtered = mask.get() && !mask.get()->empty();
  for (const Gpu& gpu : gpus_of(snapshot)) {
    const VisibleDevice device{{}, gpu.address, gpu.name, -1};
    const bool seen = std::ranges::any_of(list.devices, [&](const VisibleDevice& d) { return same_device(d, device); });
    if (gpu.vendor != Vendor::intel || seen || !devices.get() || gpu.address.empty()) continue;
    list.hidden.push_back({device, filtered ? "ZE_AFFINITY_MASK" : "driver",
                           filtered ? "not among those that ZE_AFFINITY_MASK leaves" : "Level Zero doesn't list it"});
  }
  if (filtered)
    list.filters.push_back(
        {"ZE_AFFINITY_MASK", *mask.get(), devices.get() ? "leaves " + std::to_string(list.devices.size()) : ""});
  hide_what_was_not_given(list, snapshot, Vendor::intel);
  return list;
}

}  // namespace envdoctor
