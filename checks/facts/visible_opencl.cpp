// OpenCL: the loader's registration, each driver, and the variables that the vendors' drivers obey.
#include <algorithm>

#include "checks/facts/gpus.h"
#include "checks/facts/visible.h"
#include "checks/opencl/opencl_facts.h"

namespace envdoctor {
namespace {

struct VendorFilter {
  Vendor vendor;
  std::vector<const char*> variables;  // that its OpenCL driver reads, in order
};

const std::vector<VendorFilter>& vendor_filters() {
  static const std::vector<VendorFilter> all = {{Vendor::nvidia, {"CUDA_VISIBLE_DEVICES"}},
                                                {Vendor::amd, {"ROCR_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"}},
                                                {Vendor::intel, {"ZE_AFFINITY_MASK"}}};
  return all;
}

void registration(VisibleList& list, const Snapshot& snapshot) {
  const auto icds = of(snapshot.opencl, &Opencl::icds);
  const std::string effect = icds.get() ? "registers " + std::to_string(icds.get()->size()) +
                                              (icds.get()->size() == 1 ? " driver" : " drivers")
                                        : "";
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"}) {
    const Text value = env_of(snapshot, name);
    if (value.get() && !value.get()->empty()) list.filters.push_back({name, *value.get(), effect});
  }
  if (list.filters.empty() && icds.get()) list.filters.push_back({"/etc/OpenCL/vendors", "", effect});
}

bool loads_nothing(const Snapshot& snapshot, opencl::Maker maker, std::string& why) {
  const auto* icds = opencl::icds(snapshot);
  if (!icds) return false;
  bool any = false;
  for (const OpenclIcd& icd : *icds) {
    if (opencl::maker_of(text_of(icd.library)) != maker) continue;
    any = true;
    if (icd.loads.is(false)) {
      why = text_of(icd.file) + " doesn't load" + (icd.error.get() ? ": " + *icd.error.get() : "");
      return true;
    }
  }
  if (!any) why = "no registered driver is for it";
  return !any;
}

// Why a GPU is in no platform: its driver, or a variable that this driver reads.
HiddenDevice hidden(const Snapshot& snapshot, const Gpu& gpu) {
  HiddenDevice device{.device = {{}, gpu.address, gpu.name, -1}};
  const opencl::Maker maker = gpu.vendor == Vendor::nvidia ? opencl::Maker::nvidia
                              : gpu.vendor == Vendor::amd  ? opencl::Maker::amd
                                                           : opencl::Maker::intel;
  if (!gpu.granted) {
    device.by = "grant";
    device.why = "not given to this container or job";
  } else if (loads_nothing(snapshot, maker, device.why)) {
    device.by = "driver";
  } else {
    device.by = "driver";
    device.why = "no platform lists it";
    for (const VendorFilter& filter : vendor_filters()) {
      for (const char* name : filter.variables) {
        if (filter.vendor != gpu.vendor || !env_of(snapshot, name).get()) continue;
        device.by = name;
        device.why = std::string("not among those that ") + name + " leaves";
      }
    }
  }
  return device;
}

// A platform's device is the GPU at its address, or, without one, of its name or the next of its vendor.
bool is_listed(const Gpu& gpu, std::vector<const OpenclDevice*>& unmatched) {
  const auto same = [&](const OpenclDevice* device) {
    if (device->pci_address.get() && !gpu.address.empty())
      return normal_address(*device->pci_address.get()) == gpu.address;
    const std::string name = text_of(device->name), vendor = text_of(device->vendor);
    return (!gpu.name.empty() && (name.find(gpu.name) != name.npos || gpu.name.find(name) != name.npos)) ||
           (gpu.vendor == Vendor::nvidia && vendor.find("NVIDIA") != vendor.npos) ||
           (gpu.vendor == Vendor::intel && vendor.find("Intel") != vendor.npos) ||
           (gpu.vendor == Vendor::amd && (vendor.find("AMD") != vendor.npos || vendor.find("Advanced") != vendor.npos));
  };

  const auto found = std::ranges::find_if(unmatched, same);
  if (found == unmatched.end()) return false;
  if (!(*found)->pci_address.get()) unmatched.erase(found);
  return true;
}

}  // namespace

VisibleList visible_to_opencl(const Snapshot& snapshot) {
  VisibleList list{.stack = "opencl"};
  registration(list, snapshot);
  for (const VendorFilter& filter : vendor_filters()) {
    for (const char* name : filter.variables) {
      const Text value = env_of(snapshot, name);
      if (value.get() && !value.get()->empty()) list.filters.push_back({name, *value.get(), ""});
    }
  }
  for (const char* name : {"RUSTICL_ENABLE", "POCL_DEVICES"}) {
    const Text value = env_of(snapshot, name);
    if (value.get()) list.filters.push_back({name, *value.get(), ""});
  }
  const auto platforms = of(snapshot.opencl, &Opencl::platforms);
  if (!platforms.get()) {
    list.unknown = why_unknown("/opencl/platforms", platforms);
    return list;
  }
  list.observed = true;
  std::vector<const OpenclDevice*> gpus;
  for (const OpenclPlatform& platform : *platforms.get()) {
    const auto* devices = platform.devices.get();
    if (!devices) continue;
    for (const OpenclDevice& device : *devices) {
      const Text& address = device.pci_address;
      list.devices.push_back({{},
                              address.get() ? normal_address(*address.get()) : "",
                              text_of(device.name) + " (" + text_of(device.type) + ", " + text_of(platform.name) + ")",
                              -1});
      if (device.type.is("gpu") || device.type.is("GPU")) gpus.push_back(&device);
    }
  }
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (!is_listed(gpu, gpus)) list.hidden.push_back(hidden(snapshot, gpu));
  }
  return list;
}

}  // namespace envdoctor
