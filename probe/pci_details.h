#pragma once
// What sysfs says of one PCI function, read from texts.
#include <string_view>

#include "evidence/pci.h"
#include "host/files.h"

namespace envdoctor {

// "16.0 GT/s PCIe" -> 16. Absent where the kernel writes that it doesn't know.
Real link_speed(std::string_view text);
Number link_width(std::string_view text);
// Sizes of the memory BARs of at least 1 MiB, from the file `resource`: one "start end flags" per line.
List<std::int64_t> bar_sizes_mib(std::string_view resource);

// Fills in what stands in /sys/bus/pci/devices/<address>.
void read_details(const Files& files, PciDevice& device);

}  // namespace envdoctor
