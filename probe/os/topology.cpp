#include "probe/os/topology.h"

#include <hwloc.h>

#include <cstdlib>
#include <memory>

#include "host/text.h"
#include "probe/os/cpu_info.h"

namespace envdoctor {

namespace {

using Topology_ = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Number index_of(hwloc_obj_t object) {
  if (object->os_index == HWLOC_UNKNOWN_INDEX) return absent("the kernel assigns it no number");
  return static_cast<std::int64_t>(object->os_index);
}

Number count(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const int number = hwloc_get_nbobjs_by_type(topology, type);
  if (number < 0) return failed("hwloc found these objects at several levels");
  if (number == 0) return failed("hwloc found no such object");
  return number;
}

Number count_inside(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
  return hwloc_get_nbobjs_inside_cpuset_by_type(topology, object->cpuset, type);
}

Text list_of(hwloc_const_bitmap_t set) {
  char* text = nullptr;
  if (!set || hwloc_bitmap_list_asprintf(&text, set) < 0) return failed("hwloc reported no list of processors");
  const std::unique_ptr<char, decltype(&std::free)> owned(text, std::free);
  return std::string(text);
}

}  // namespace

Snapshot read_with_hwloc(const std::string& root) {
  // No plug-ins: they would load vendor libraries, such as OpenCL. Only Linux files are read, so that a captured root
  // gives the same answer as the host it was captured on.
  for (const char* variable : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_THISSYSTEM"})
    unsetenv(variable);
  setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 1);
  setenv("HWLOC_COMPONENTS", "linux,stop", 1);
  if (root != "/") setenv("HWLOC_FSROOT", root.c_str(), 1);
  const Missing lost = failed("hwloc could not load the topology");
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {.cpu = lost, .topology = lost};
  const Topology_ topology(raw, hwloc_topology_destroy);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) return {.cpu = lost, .topology = lost};
  Snapshot part;
  Cpu& cpu = part.cpu.fill();
  Topology& found = part.topology.fill();
  cpu.sockets = count(raw, HWLOC_OBJ_PACKAGE);
  cpu.cores = count(raw, HWLOC_OBJ_CORE);
  cpu.threads = count(raw, HWLOC_OBJ_PU);
  cpu.numa_nodes = count(raw, HWLOC_OBJ_NUMANODE);
  auto& packages = found.packages.fill();
  for (hwloc_obj_t at = nullptr; (at = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_PACKAGE, at));)
    packages.push_back({.index = index_of(at),
                        .cores = count_inside(raw, at, HWLOC_OBJ_CORE),
                        .threads = count_inside(raw, at, HWLOC_OBJ_PU)});
  auto& nodes = found.numa_nodes.fill();
  for (hwloc_obj_t at = nullptr; (at = hwloc_get_next_obj_by_type(raw, HWLOC_OBJ_NUMANODE, at));)
    nodes.push_back({.index = index_of(at),
                     .memory_mib = static_cast<std::int64_t>(at->attr->numanode.local_memory >> 20),
                     .cpus = list_of(at->cpuset)});
  return part;
}

namespace {

// A device's folder lies inside those of the bridges above it:
// ../../../devices/pci0000:64/0000:64:00.0/0000:65:00.0.
List<std::string> bridges_in(const std::string& link, const std::string& address) {
  std::vector<std::string> bridges;
  for (const auto folder : pieces(link, '/')) {
    if (folder == address) return bridges;
    // A function's name: 0000:64:00.0.
    if (folder.size() >= 12 && folder[folder.size() - 2] == '.' && folder[folder.size() - 5] == ':')
      bridges.emplace_back(folder);
  }
  return failed("the sysfs path does not end in the device");
}

// The package of the processors next to the device; none on a host that shows no locality.
Number package_of(const Files& files, const std::string& device) {
  const auto cpus = read_line(files, device + "/local_cpulist").then([](const auto& text) { return cpu_list(text); });
  return cpus.then([&](const std::vector<std::int64_t>& numbers) -> Number {
    if (numbers.empty()) return absent("no processors are next to it");
    const auto package = [&](std::int64_t cpu) {
      return read_number(files, "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/physical_package_id");
    };
    const Number first = package(numbers.front());
    if (first.get() && package(numbers.back()) != first) return absent("it is next to several packages");
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
