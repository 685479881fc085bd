// OpenCL: the loader's registration, each driver, and the variables that the vendors' drivers read.
#include <fmt/format.h>

#include <algorithm>

#include "checks/facts/gpus.h"
#include "checks/facts/visible.h"
#include "checks/opencl/opencl_facts.h"

namespace envdoctor {
namespace {

struct VendorFilter {
  Vendor vendor;
  const char* variable;  // that its OpenCL driver reads
};

constexpr VendorFilter vendor_filters[] = {{Vendor::nvidia, "CUDA_VISIBLE_DEVICES"},
                                           {Vendor::amd, "ROCR_VISIBLE_DEVICES"},
                                           {Vendor::amd, "GPU_DEVICE_ORDINAL"},
                                           {Vendor::intel, "ZE_AFFINITY_MASK"}};

// The variable as a filter, where it is set to something.
void add_filter(VisibleList& list, const Snapshot& snapshot, const char* name, const std::string& effect) {
  const std::string value = env_of(snapshot, name).or_empty();
  if (!value.empty()) list.filters.push_back({name, value, effect});
}

void registration(VisibleList& list, const Snapshot& snapshot) {
  const auto icds = of(snapshot.opencl, &Opencl::icds);
  const std::size_t count = icds.or_empty().size();
  const std::string effect = icds.get() ? fmt::format("registers {} driver{}", count, count == 1 ? "" : "s") : "";
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH", "OCL_ICD_FILENAMES"})
    add_filter(list, snapshot, name, effect);
  if (list.filters.empty() && icds.get()) list.filters.push_back({"/etc/OpenCL/vendors", "", effect});
}

bool loads_nothing(const Snapshot& snapshot, opencl::Maker maker, std::string& why) {
  const auto* icds = opencl::icds(snapshot);
  if (!icds) return false;
  bool any = false;
  for (const OpenclIcd& icd : *icds) {
    if (opencl::maker_of(text_of(icd.library)) != maker) continue;
    any = true;
    if (!icd.loads.is(false)) continue;
    why = text_of(icd.file) + " doesn't load" + (icd.error.get() ? ": " + *icd.error.get() : "");
    return true;
  }
  if (!any) why = "no registered driver is for it";
  return !any;
}

// Why a GPU is in no platform: because of its driver, or of a variable that this driver reads.
HiddenDevice hidden(const Snapshot& snapshot, const Gpu& gpu) {
  HiddenDevice device{visible(gpu), "driver", "no platform lists it"};
  const opencl::Maker maker = gpu.vendor == Vendor::nvidia ? opencl::Maker::nvidia
                              : gpu.vendor == Vendor::amd  ? opencl::Maker::amd
                                                           : opencl::Maker::intel;
  if (!gpu.granted) return {device.device, "grant", "not given to this container or job"};
  if (loads_nothing(snapshot, maker, device.why)) return device;
  for (const VendorFilter& filter : vendor_filters) {
    if (filter.vendor != gpu.vendor || !env_of(snapshot, filter.variable).get()) continue;
    device.by = filter.variable;
    device.why = "not among those that " + device.by + " leaves";
  }
  return device;
}

// A platform's device is the GPU at its address, or, without one, of its name or the next of its vendor.
bool is_listed(const Gpu& gpu, std::vector<const OpenclDevice*>& unmatched) {
  const auto same = [&](const OpenclDevice* device) {
    if (device->pci_address.get() && !gpu.address.empty()) return address_of(device->pci_address) == gpu.address;
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
  for (const VendorFilter& filter : vendor_filters) add_filter(list, snapshot, filter.variable, "");
  for (const char* name : {"RUSTICL_ENABLE", "POCL_DEVICES"}) {
    const Text value = env_of(snapshot, name);
    if (value.get()) list.filters.push_back({name, *value.get(), ""});
  }
  const auto platforms = of(snapshot.opencl, &Opencl::platforms);
  list.observed = platforms.get();
  if (!platforms.get()) {
    list.unknown = why_unknown("/opencl/platforms", platforms);
    return list;
  }
  std::vector<const OpenclDevice*> gpus;
  for (const OpenclPlatform& platform : *platforms.get()) {
    for (const OpenclDevice& device : platform.devices.or_empty()) {
      list.devices.push_back({{},
                              address_of(device.pci_address),
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
