#include "probe/pci_details.h"

#include <algorithm>

#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr std::uint64_t memory_flag = 0x200;  // IORESOURCE_MEM, linux/ioport.h
constexpr std::uint64_t mib = 1 << 20;
constexpr std::size_t bars = 6;  // the lines after these are the ROM, SR-IOV and bridge windows

Missing no_file(const Missing& missing, const char* why) {
  return missing.outcome == Outcome::absent ? absent(why) : missing;
}

// The last part of a link's target: a driver's name, another device's address.
Text linked_name(const Files& files, const std::string& path, const char* why_absent) {
  const auto target = files.link(path);
  if (!target.get()) return no_file(target.missing(), why_absent);
  return std::string(base_name(*target.get()));
}

Reading<PciLink> link_of(const Files& files, const std::string& folder) {
  const auto read = [&](const char* name) { return read_line(files, folder + name); };
  const auto width = read("current_link_width");
  if (width.outcome() == Outcome::absent) return absent("the kernel shows no PCI Express link for this device");
  if (width.outcome() == Outcome::failed) return width.missing();
  return PciLink{.speed_gtps = read("current_link_speed").then(link_speed),
                 .width = width.then(link_width),
                 .max_speed_gtps = read("max_link_speed").then(link_speed),
                 .max_width = read("max_link_width").then(link_width)};
}

Number numa_node_of(const Files& files, const std::string& folder) {
  const auto node = read_number(files, folder + "numa_node");
  if (!node.get()) return no_file(node.missing(), "this kernel has no NUMA nodes");
  if (*node.get() < 0) return absent("the firmware names no NUMA node");
  return node;
}

}  // namespace

Real link_speed(std::string_view text) {
  const auto words = words_of(text);
  if (words.empty()) return failed("an empty link speed");
  if (words[0] == "Unknown") return absent("the kernel doesn't know the link's speed");
  const auto speed = number_of<double>(words[0]);
  if (!speed || !(*speed > 0 && *speed <= 1024)) return failed("not a link speed: " + std::string(text.substr(0, 40)));
  return *speed;
}

Number link_width(std::string_view text) {
  const auto width = number_of(text);
  if (!width) return failed("not a link width: " + std::string(text.substr(0, 40)));
  // 0 and 255 are the kernel's ways of saying that it couldn't tell; no link has more than 32 lanes.
  if (*width < 1 || *width > 32) return absent("the kernel doesn't know the link's width");
  return *width;
}

List<std::int64_t> bar_sizes_mib(std::string_view resource) {
  std::vector<std::int64_t> sizes;
  const auto lines = lines_of(resource);
  for (std::size_t i = 0; i < std::min(lines.size(), bars); ++i) {
    const auto words = words_of(lines[i]);
    if (words.size() != 3) return failed("resource, line " + std::to_string(i + 1) + ": not a start, an end and flags");
    const auto start = number_of<std::uint64_t>(words[0], 16);
    const auto end = number_of<std::uint64_t>(words[1], 16);
    const auto flags = number_of<std::uint64_t>(words[2], 16);
    if (!start || !end || !flags)
      return failed("resource, line " + std::to_string(i + 1) + ": not hexadecimal numbers");
    if (!(*flags & memory_flag) || *end <= *start) continue;
    const std::uint64_t size = *end - *start + 1;
    if (size >= mib) sizes.push_back(static_cast<std::int64_t>(size / mib));
  }
  return sizes;
}

void read_details(const Files& files, PciDevice& device) {
  const std::string folder = "/sys/bus/pci/devices/" + *device.address.get() + "/";
  device.driver = linked_name(files, folder + "driver", "no driver is bound");
  device.numa_node = numa_node_of(files, folder);
  device.link = link_of(files, folder);
  device.bars_mib = files.read(folder + "resource").then(bar_sizes_mib);
  device.physical_function = linked_name(files, folder + "physfn", "not a virtual function");
  device.virtual_functions = read_number(files, folder + "sriov_numvfs");
  if (device.virtual_functions.outcome() == Outcome::absent)
    device.virtual_functions = absent("the device offers no virtual functions");
}

}  // namespace envdoctor
