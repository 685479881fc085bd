#include "probe/cpu_info.h"
#include "probe/text.h"
#include "probe/topology.h"

namespace envdoctor {
namespace {

// A device's folder lies inside those of the bridges above it:
// ../../../devices/pci0000:64/0000:64:00.0/0000:65:00.0.
List<std::string> bridges_in(const std::string& link, const std::string& address) {
  std::vector<std::string> bridges;
  for (const auto folder : pieces(link, '/')) {
    if (folder == address) return bridges;
    const bool is_function =
        folder.size() >= 12 && folder[folder.size() - 2] == '.' && folder[folder.size() - 5] == ':';
    if (is_function) bridges.emplace_back(folder);
  }
  return failed("a path in sysfs that doesn't end in the device");
}

// The package of the processors next to the device; none is next to it on a host that shows no locality.
Number package_of(const Files& files, const std::string& device) {
  return read_line(files, device + "/local_cpulist").then([&](const std::string& text) -> Number {
    const auto cpus = cpu_list(text);
    if (!cpus.get()) return cpus.missing();
    if (cpus.get()->empty()) return absent("no processors are next to it");
    const auto package = [&](std::int64_t cpu) {
      return read_number(files, "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/physical_package_id");
    };
    const Number first = package(cpus.get()->front());
    if (first.get() && package(cpus.get()->back()) != first) return absent("it is next to several packages");
    return first;
  });
}

}  // namespace

List<GpuPath> gpu_paths(const Files& files, const List<PciDevice>& gpus) {
  return gpus.then([&](const std::vector<PciDevice>& devices) {
    std::vector<GpuPath> paths;
    for (const PciDevice& gpu : devices) {
      const std::string* address = gpu.address.get();
      if (!address) continue;
      const std::string device = "/sys/bus/pci/devices/" + *address;
      paths.push_back(
          {.address = *address,
           .numa_node = gpu.numa_node,
           .package = package_of(files, device),
           .bridges = files.link(device).then([&](const std::string& link) { return bridges_in(link, *address); })});
    }
    return paths;
  });
}

}  // namespace envdoctor
