#pragma once
// Names of PCI vendors and devices from the text of a pci.ids file.
#include <string>
#include <string_view>

#include "evidence/fields.h"
#include "evidence/pci.h"
#include "host/files/files.h"

namespace envdoctor {

// In the form of pci.ids, "chip [product]", from the knowledge tables, for a device with these ids.
Text model_name(const PciDevice& device, const Text& otherwise);

struct PciNames {
  Text vendor{};
  Text device{};
};

// `ids` is a whole pci.ids; ids are four lower-case hex digits. Ids that it doesn't list are absent.
PciNames pci_names(std::string_view ids, std::string_view vendor, std::string_view device);

// What sysfs says about one PCI function, read from texts.
// "16.0 GT/s PCIe" -> 16. Absent where the kernel writes that it doesn't know.
Real link_speed(std::string_view text);
Number link_width(std::string_view text);
// Sizes of the memory BARs of at least 1 MiB, from the file `resource`: one "start end flags" per line.
List<std::int64_t> bar_sizes_mib(std::string_view resource);

// Fills in the values from /sys/bus/pci/devices/<address>.
void read_details(const Files& files, PciDevice& device);

// The functions on the PCI bus.
// Every display controller and processing accelerator with address, ids and class, sorted by address: by libpci from
// sysfs, or directly from the same files where libpci fails. Absent: the host shows no PCI bus.
List<PciDevice> gpus_on_bus(const Files& files);

}  // namespace envdoctor
