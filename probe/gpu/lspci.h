#pragma once
// GPUs from pasted output of lspci.
#include <string_view>

#include "evidence/pci.h"

namespace envdoctor {

// Display controllers and processing accelerators in the text of `lspci`, with -n, -nn, -k, -v to -vvv, -x or -vmm, in
// any truncated or broken form; sorted by address. What the text doesn't show is not probed. Not probed as a whole if
// it holds no such device: it may be part of a longer text.
List<PciDevice> parse_lspci(std::string_view text);

// Whether a line is the first of a device's block.
bool is_lspci_header(std::string_view line);

}  // namespace envdoctor
