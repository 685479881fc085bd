#pragma once
// Names of PCI vendors and devices from the text of a pci.ids file.
#include <string>
#include <string_view>

#include "evidence/fields.h"

namespace envdoctor {

struct PciNames {
  Text vendor{};
  Text device{};
};

// `ids` is a whole pci.ids; ids are four lower-case hex digits. What it doesn't list is absent.
PciNames pci_names(std::string_view ids, std::string_view vendor, std::string_view device);

}  // namespace envdoctor
