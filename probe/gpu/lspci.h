#pragma once
// One device's block of lines in a text of lspci.
#include <string_view>
#include <vector>

#include "evidence/pci.h"

namespace envdoctor {

struct LspciHeader {
  std::string_view address{};
  std::string_view class_name{};
  std::string_view class_code{};  // four hex digits, or empty
  std::string_view vendor_id{};
  std::string_view device_id{};
  std::string_view name{};  // vendor and device as printed, without ids and revision
  bool silent = false;      // "rev ff": its registers read as ones, so it is switched off or gone
};

// "0000:65:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100] [10de:2330] (rev a1)". False for other lines.
bool parse_lspci_header(std::string_view line, LspciHeader& header);

// A device from its header.
PciDevice device_of(const LspciHeader& header);
// Fills in what a line of details tells.
void take_detail(std::string_view line, PciDevice& device);
// Vendor and device name from one text: "NVIDIA Corporation GA102 [GeForce RTX 3090]".
void name_device(std::string_view name, PciDevice& device);
// Four-digit class for a class in words; empty if it is neither a display nor an accelerator.
std::string_view class_code_of(std::string_view class_name);

// GPUs from what lspci printed, as people paste it.
// Display controllers and processing accelerators in the text of `lspci`, with -n, -nn, -k, -v to -vvv, -x or -vmm, in
// any cut or torn form; sorted by address. What the text doesn't show is not probed. Not probed as a whole where it
// holds no such device: it may be a part of a longer text.
List<PciDevice> parse_lspci(std::string_view text);

// Whether a line is the first of a device's block.
bool is_lspci_header(std::string_view line);

}  // namespace envdoctor
