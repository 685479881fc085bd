#include "checks/facts/visible.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"

namespace envdoctor {
namespace {

std::string leaves(std::size_t left, std::size_t all) { return fmt::format("leaves {} of {}", left, all); }

}  // namespace

std::string describe(const VisibleDevice& device) {
  std::string text = device.uuid.empty() ? device.name : device.uuid;
  if (text.empty()) text = "a GPU";
  if (device.address.empty()) return text;
  return text + " at " + (device.address.starts_with("0000:") ? device.address.substr(5) : device.address);
}

std::string describe(std::size_t ordinal, const VisibleDevice& device) {
  return "device " + std::to_string(ordinal) + " = " + describe(device);
}

bool same_device(const VisibleDevice& a, const VisibleDevice& b) {
  if (!a.address.empty() && !b.address.empty()) return a.address == b.address;
  return !a.uuid.empty() && !b.uuid.empty() && (a.uuid.starts_with(b.uuid) || b.uuid.starts_with(a.uuid));
}

VisibleDevice visible(const Gpu& gpu) { return {{}, gpu.address, gpu.name, -1}; }

const VisibleDevice* find_same(const std::vector<VisibleDevice>& devices, const VisibleDevice& device) {
  const auto same = std::ranges::find_if(devices, [&](const VisibleDevice& d) { return same_device(d, device); });
  return same == devices.end() ? nullptr : &*same;
}

void keep(VisibleList& list, const std::vector<std::size_t>& kept, Filter filter, const std::string& why) {
  std::vector<VisibleDevice> left;
  for (std::size_t i = 0; i < list.devices.size(); ++i) {
    if (std::ranges::find(kept, i) != kept.end())
      left.push_back(std::move(list.devices[i]));
    else
      list.hidden.push_back({std::move(list.devices[i]), filter.name, why});
  }
  filter.effect = leaves(left.size(), list.devices.size());
  list.filters.push_back(std::move(filter));
  list.devices = std::move(left);
}

void hide_what_was_not_given(VisibleList& list, const Snapshot& snapshot, Vendor vendor) {
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor != vendor || gpu.granted) continue;
    const VisibleDevice device = visible(gpu);
    std::erase_if(list.hidden, [&](const HiddenDevice& h) { return same_device(h.device, device); });
    list.hidden.push_back({device, "grant", "not given to this container or job"});
  }
}

void apply(VisibleList& list, const Basis& basis, const Selection& selection, const std::string& name,
           const std::string& value) {
  list.devices.clear();
  for (const Selected& one : selection.chosen) {
    VisibleDevice device = basis.devices[one.device];
    if (one.instance >= 0) device.uuid = basis.selectable[one.device].instances[static_cast<std::size_t>(one.instance)];
    list.devices.push_back(std::move(device));
  }
  for (std::size_t d = 0; d < basis.devices.size(); ++d) {
    if (std::ranges::find(selection.chosen, d, &Selected::device) != selection.chosen.end()) continue;
    HiddenDevice hidden{.device = basis.devices[d], .by = name};
    if (basis.selectable[d].mig && basis.selectable[d].instances.empty()) {
      hidden.by = "MIG";
      hidden.why = "it is in MIG mode and has no instance";
    } else if (selection.instances > 0 || (!selection.chosen.empty() && selection.chosen.front().instance >= 0)) {
      hidden.by = "MIG";
      hidden.why = "CUDA uses one MIG instance and nothing beside it";
    } else {
      hidden.why = selection.cut == Cut::none ? "not named by " + name : name + ": " + describe_cut(selection);
    }
    list.hidden.push_back(std::move(hidden));
  }
  list.filters.push_back({name, value, leaves(list.devices.size(), basis.devices.size())});
}

std::vector<VisibleList> visible_lists(const Snapshot& snapshot) {
  const auto gpus = gpus_of(snapshot);
  const auto has = [&](Vendor vendor) { return std::ranges::find(gpus, vendor, &Gpu::vendor) != gpus.end(); };
  std::vector<VisibleList> lists;
  if (has(Vendor::nvidia) || of(snapshot.nvidia, &Nvidia::cuda_devices).get())
    lists.push_back(visible_to_cuda(snapshot));
  if (has(Vendor::amd)) lists.push_back(visible_to_rocm(snapshot));
  if (has(Vendor::intel)) lists.push_back(visible_to_level_zero(snapshot));
  return lists;
}

std::vector<VisibleList> visible_to_programs(const Snapshot& snapshot) {
  std::vector<VisibleList> lists = visible_lists(snapshot);
  const auto stack = [&](const char* name) {
    return std::ranges::find(lists, name, &VisibleList::stack) != lists.end();
  };
  if (stack("level-zero") || of(snapshot.level_zero, &LevelZero::devices).get())
    lists.push_back(visible_to_sycl(snapshot));
  if (of(snapshot.opencl, &Opencl::platforms).get() || of(snapshot.opencl, &Opencl::icds).get())
    lists.push_back(visible_to_opencl(snapshot));
  for (const std::string& framework : frameworks(snapshot)) lists.push_back(visible_to_framework(snapshot, framework));
  return lists;
}

}  // namespace envdoctor
