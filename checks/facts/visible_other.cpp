#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"

namespace envdoctor {
namespace {

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
  if (!devices.get()) basis.unknown = why_unknown("/rocm/devices", devices);
  for (const auto& [i, device] : numbered(devices)) {
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
  const Text rocr = env_of(snapshot, "ROCR_VISIBLE_DEVICES");
  if (rocr.get()) filter(list, basis, "ROCR_VISIBLE_DEVICES", *rocr.get(), select_rocr);
  for (const char* name : {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
    const std::string value = env_of(snapshot, name).or_empty();
    if (value.empty()) continue;
    filter(list, basis, name, value, select_hip);
    break;
  }
  if (const auto listed = of(snapshot.rocm, &Rocm::hip_devices); listed.get()) {
    list.observed = true;
    list.unknown.clear();
    std::vector<VisibleDevice> seen;
    for (const RocmDevice& device : *listed.get()) {
      VisibleDevice one{text_of(device.unique_id), address_of(device.pci_address), text_of(device.name), -1};
      if (const VisibleDevice* same = find_same(list.devices, one)) one.listed = same->listed;
      seen.push_back(std::move(one));
    }
    list.devices = std::move(seen);
  } else if (!snapshot.env.get() && list.unknown.empty()) {
    list.unknown = why_unknown("/env", snapshot.env);
  }
  hide_what_was_not_given(list, snapshot, Vendor::amd);
  return list;
}

// Level Zero's list is already filtered; the bus shows what is missing from it.
VisibleList visible_to_level_zero(const Snapshot& snapshot) {
  VisibleList list{.stack = "level-zero"};
  const auto devices = of(snapshot.level_zero, &LevelZero::devices);
  const std::string name = "ZE_AFFINITY_MASK", mask = env_of(snapshot, name).or_empty();
  list.observed = devices.get();
  if (!devices.get()) list.unknown = why_unknown("/level_zero/devices", devices);
  for (const auto& [i, device] : numbered(devices)) {
    if (device.type.value_or("gpu") == "gpu")
      list.devices.push_back({{}, address_of(device.pci_address), text_of(device.name), static_cast<int>(i)});
  }
  for (const Gpu& gpu : gpus_of(snapshot)) {
    const VisibleDevice device = visible(gpu);
    if (gpu.vendor != Vendor::intel || !devices.get() || gpu.address.empty() || find_same(list.devices, device))
      continue;
    list.hidden.push_back(mask.empty() ? HiddenDevice{device, "driver", "Level Zero doesn't list it"}
                                       : HiddenDevice{device, name, "not among those that " + name + " leaves"});
  }
  if (!mask.empty())
    list.filters.push_back({name, mask, devices.get() ? "leaves " + std::to_string(list.devices.size()) : ""});
  hide_what_was_not_given(list, snapshot, Vendor::intel);
  return list;
}

}  // namespace envdoctor
