#include "probe/gpu/gpu_list.h"

#include <algorithm>

#include "host/text.h"
#include "probe/gpu/kfd.h"
#include "probe/gpu/nvidia_driver.h"

namespace envdoctor {
namespace {

void add_nvidia(const Files& files, std::vector<ListedGpu>& all) {
  const std::string folder = "/proc/driver/nvidia/gpus";
  std::int64_t index = 0;
  for (const std::string& address : files.list(folder).or_empty()) {
    const auto gpu = files.read(folder + "/" + address + "/information").then(parse_gpu_information).or_empty();
    all.push_back({"nvidia", index++, gpu.uuid.or_empty(), address});
  }
}

void add_amd(const Files& files, std::vector<ListedGpu>& all) {
  if (!files.status("/sys/class/kfd/kfd/topology").get()) return;
  const Rocm rocm = read_kfd(files);
  std::int64_t index = 0;
  for (const RocmDevice& device : rocm.devices.or_empty())
    all.push_back({"amd", index++, device.unique_id.or_empty(), device.pci_address.or_empty()});
}

void add_intel(const Files& files, std::vector<ListedGpu>& all) {
  std::vector<std::string> addresses;
  for (const std::string& name : files.list("/sys/class/drm").or_empty()) {
    const std::string device = "/sys/class/drm/" + name + "/device";
    if (!name.starts_with("renderD") || !read_line(files, device + "/vendor").is("0x8086")) continue;
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
