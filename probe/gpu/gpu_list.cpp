#include "probe/gpu/gpu_list.h"

#include <algorithm>

#include "probe/gpu/kfd.h"
#include "probe/gpu/nvidia_driver.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

std::vector<std::string> names_in(const Files& files, const std::string& folder) {
  const auto names = files.list(folder);
  return names.get() ? *names.get() : std::vector<std::string>{};
}

void add_nvidia(const Files& files, std::vector<ListedGpu>& all) {
  const std::string folder = "/proc/driver/nvidia/gpus";
  std::int64_t index = 0;
  for (const std::string& address : names_in(files, folder)) {
    const auto text = files.read(folder + "/" + address + "/information");
    const NvidiaProcGpu gpu = text.get() ? parse_gpu_information(*text.get()) : NvidiaProcGpu{};
    all.push_back({"nvidia", index++, gpu.uuid.get() ? *gpu.uuid.get() : "", address});
  }
}

void add_amd(const Files& files, std::vector<ListedGpu>& all) {
  if (!files.status("/sys/class/kfd/kfd/topology").get()) return;
  const Rocm rocm = read_kfd(files);
  std::int64_t index = 0;
  for (const RocmDevice& device : rocm.devices.get() ? *rocm.devices.get() : std::vector<RocmDevice>{}) {
    all.push_back({"amd", index++, device.unique_id.get() ? *device.unique_id.get() : "",
                   device.pci_address.get() ? *device.pci_address.get() : ""});
  }
}

void add_intel(const Files& files, std::vector<ListedGpu>& all) {
  std::vector<std::string> addresses;
  for (const std::string& name : names_in(files, "/sys/class/drm")) {
    if (!name.starts_with("renderD")) continue;
    const std::string device = "/sys/class/drm/" + name + "/device";
    if (const auto vendor = read_line(files, device + "/vendor"); !vendor.get() || *vendor.get() != "0x8086") continue;
    if (const auto place = files.resolve(device); place.get()) addresses.emplace_back(base_name(*place.get()));
  }
  std::ranges::sort(addresses);
  std::int64_t index = 0;
  for (const std::string& address : addresses) all.push_back({"intel", index++, "", address});
}

}  // namespace

std::vector<ListedGpu> list_gpus(const Files& files) {
  std::vector<ListedGpu> all;
  add_nvidia(files, all);
  add_amd(files, all);
  add_intel(files, all);
  return all;
}

}  // namespace envdoctor
