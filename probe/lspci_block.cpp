#include "probe/lspci_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "knowledge/gpus.h"
#include "probe/pci_details.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

// bb:dd.f, or with a domain of four to eight digits before it.
bool is_address(std::string_view text) {
  if (text.size() < 7) return false;
  const auto tail = text.substr(text.size() - 7);
  if (!is_hex(tail.substr(0, 2), 2) || tail[2] != ':' || !is_hex(tail.substr(3, 2), 2) || tail[5] != '.' ||
      tail[6] < '0' || tail[6] > '7')
    return false;
  const auto domain = text.substr(0, text.size() - 7);
  return domain.empty() || (domain.size() >= 5 && domain.size() <= 9 && domain.back() == ':' &&
                            is_hex(domain.substr(0, domain.size() - 1), domain.size() - 1));
}

struct Vendor {
  std::string_view start;
  std::string_view id;
};

// Vendors that lspci's texts begin with; which part is the vendor's can't be told otherwise.
constexpr std::array vendors = {Vendor{"NVIDIA Corporation", "10de"},
                                Vendor{"nVidia Corporation", "10de"},
                                Vendor{"Advanced Micro Devices, Inc. [AMD/ATI]", "1002"},
                                Vendor{"Advanced Micro Devices [AMD/ATI]", "1002"},
                                Vendor{"Advanced Micro Devices, Inc. [AMD]", ""},
                                Vendor{"Intel Corporation", "8086"},
                                Vendor{"ASPEED Technology, Inc.", "1a03"},
                                Vendor{"Matrox Electronics Systems Ltd.", "102b"},
                                Vendor{"Microsoft Corporation", "1414"},
                                Vendor{"VMware", "15ad"},
                                Vendor{"Red Hat, Inc.", ""},
                                Vendor{"Cirrus Logic", "1013"},
                                Vendor{"InnoTek Systemberatung GmbH", "80ee"},
                                Vendor{"RDC Semiconductor, Inc.", "17f3"}};

// The last "[10de:2330]" of a text, cut off it together with what follows.
void take_ids(LspciHeader& header) {
  for (auto open = header.name.rfind('['); open != std::string_view::npos && open > 0;
       open = header.name.rfind('[', open - 1)) {
    const auto inside = header.name.substr(open + 1, 9);
    if (inside.size() == 9 && is_hex(inside.substr(0, 4), 4) && inside[4] == ':' && is_hex(inside.substr(5, 4), 4)) {
      header.vendor_id = inside.substr(0, 4);
      header.device_id = inside.substr(5, 4);
      header.name = trimmed(header.name.substr(0, open));
      return;
    }
  }
}

void take_revision(LspciHeader& header) {
  const auto rev = header.name.find(" (rev ");
  const auto interface = header.name.find(" (prog-if ");
  header.silent = header.name.substr(std::min(rev, header.name.size())).starts_with(" (rev ff)");
  header.name = trimmed(header.name.substr(0, std::min(rev, interface)));
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return result;
}

// "[size=16M]" in MiB; 0 if it is smaller or not there.
std::int64_t size_mib(std::string_view line) {
  const auto at = line.find("[size=");
  if (at == std::string_view::npos) return 0;
  const auto size = line.substr(at + 6, line.find(']', at) - at - 6);
  const auto number = size.empty() ? std::nullopt : number_of(size.substr(0, size.size() - 1));
  if (!number || *number < 0 || *number > 1 << 20) return 0;
  switch (size.back()) {
    case 'K':
      return *number >> 10;
    case 'M':
      return *number;
    case 'G':
      return *number << 10;
    case 'T':
      return *number << 20;
    default:
      return 0;
  }
}

// The word after a name, without a final comma: "Speed 16GT/s (ok), Width x16".
std::string_view after(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  if (at == std::string_view::npos) return {};
  const auto words = words_of(line.substr(at + name.size()));
  if (words.empty()) return {};
  return words[0].substr(0, words[0].find(','));
}

Real speed_in(std::string_view line) {
  const auto word = after(line, "Speed ");
  const auto unit = word.find("GT/s");
  if (word.empty() || unit == std::string_view::npos) return absent("lspci doesn't know the link's speed");
  return link_speed(word.substr(0, unit));
}

Number width_in(std::string_view line) {
  const auto word = after(line, "Width ");
  if (!word.starts_with('x')) return absent("lspci doesn't know the link's width");
  return link_width(word.substr(1));
}

// The first line of a dump of the configuration space holds the ids (PCI Local Bus Specification 3.0, 6.1).
void take_dump(std::string_view line, PciDevice& device) {
  const auto bytes = words_of(line);
  if (bytes.size() < 13 || bytes[0] != "00:" || bytes[1] == "ff") return;
  if (!std::all_of(bytes.begin() + 1, bytes.begin() + 13, [](std::string_view byte) { return is_hex(byte, 2); }))
    return;
  if (!device.device_id.get()) {
    device.vendor_id = lower(fmt::format("{}{}", bytes[2], bytes[1]));
    device.device_id = lower(fmt::format("{}{}", bytes[4], bytes[3]));
  }
}

}  // namespace

std::string_view class_code_of(std::string_view class_name) {
  if (class_name == "VGA compatible controller") return "0300";
  if (class_name == "XGA compatible controller") return "0301";
  if (class_name == "3D controller") return "0302";
  if (class_name == "Display controller") return "0380";
  if (class_name == "Processing accelerators") return "1200";
  return {};
}

bool parse_lspci_header(std::string_view line, LspciHeader& header) {
  line = trimmed(line);
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos || !is_address(line.substr(0, blank))) return false;
  header = {.address = line.substr(0, blank)};
  const auto rest = line.substr(blank + 1);
  const auto colon = rest.find(": ");
  if (colon == std::string_view::npos) return false;
  header.class_name = trimmed(rest.substr(0, colon));
  header.name = trimmed(rest.substr(colon + 2));
  const auto open = header.class_name.rfind('[');
  if (is_hex(header.class_name, 4)) {  // -n: "0300: 10de:2204"
    header.class_code = header.class_name;
    const auto ids = header.name.substr(0, 9);
    if (ids.size() == 9 && ids[4] == ':' && is_hex(ids.substr(0, 4), 4) && is_hex(ids.substr(5), 4)) {
      header.vendor_id = ids.substr(0, 4);
      header.device_id = ids.substr(5);
      const auto after_ids = header.name.substr(9);
      header.silent = after_ids.starts_with(" (rev ff)");
      header.name = {};
      return true;
    }
  } else if (open != std::string_view::npos && is_hex(header.class_name.substr(open + 1, 4), 4)) {
    header.class_code = header.class_name.substr(open + 1, 4);
    header.class_name = trimmed(header.class_name.substr(0, open));
  }
  take_revision(header);
  take_ids(header);
  return true;
}

void name_device(std::string_view name, PciDevice& device) {
  for (const Vendor& vendor : vendors) {
    if (!name.starts_with(vendor.start)) continue;
    device.vendor = std::string(vendor.start);
    if (!device.vendor_id.get() && !vendor.id.empty()) device.vendor_id = std::string(vendor.id);
    name = trimmed(name.substr(vendor.start.size()));
    break;
  }
  if (name.empty() || name == "Device" || name.starts_with("Device ")) {
    device.name = absent("lspci's list doesn't know the device");
  } else {
    device.name = std::string(name.substr(0, 200));
  }
}

PciDevice device_of(const LspciHeader& header) {
  PciDevice device;
  const auto digits = header.address.find_first_of(':') == 2 ? "0000:" + lower(header.address) : lower(header.address);
  device.address = digits;
  device.class_ = lower(header.class_code.empty() ? class_code_of(header.class_name) : header.class_code);
  if (!header.vendor_id.empty()) device.vendor_id = lower(header.vendor_id);
  if (!header.device_id.empty()) device.device_id = lower(header.device_id);
  if (!header.name.empty()) name_device(header.name, device);
  if (header.silent) device.link = failed("the device answers nothing (rev ff): switched off, or gone from the bus");
  return device;
}

void take_detail(std::string_view line, PciDevice& device) {
  line = trimmed(line);
  constexpr std::string_view driver = "Kernel driver in use:";
  if (line.starts_with(driver)) {
    device.driver = std::string(trimmed(line.substr(driver.size())).substr(0, 64));
  } else if (line.starts_with("Kernel modules:")) {
    if (!device.driver.get()) device.driver = absent("no driver is in use");
  } else if (line.starts_with("NUMA node:")) {
    if (const auto node = number_of(line.substr(10))) device.numa_node = *node;
  } else if (line.starts_with("LnkCap:") && device.link.outcome() != Outcome::failed) {
    device.link.fill().max_speed_gtps = speed_in(line);
    device.link.fill().max_width = width_in(line);
  } else if (line.starts_with("LnkSta:") && device.link.outcome() != Outcome::failed) {
    device.link.fill().speed_gtps = speed_in(line);
    device.link.fill().width = width_in(line);
  } else if (line.find("Memory at ") != std::string_view::npos) {
    auto& sizes = device.bars_mib.fill();
    if (const auto size = size_mib(line); size > 0 && sizes.size() < 6) sizes.push_back(size);
  } else if (const auto at = line.find("Number of VFs: "); at != std::string_view::npos) {
    const auto word = after(line, "Number of VFs: ");
    if (const auto number = number_of(word)) device.virtual_functions = *number;
  } else if (line.starts_with("00: ")) {
    take_dump(line, device);
  }
}

}  // namespace envdoctor
