#include "probe/gpu/lspci.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "knowledge/gpus/gpu_models.h"
#include "probe/gpu/pci_devices.h"
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

namespace {

constexpr std::size_t longest_line = 4096;

bool is_wanted(const PciDevice& device) {
  return device.class_.get() && (device.class_.get()->starts_with("03") || device.class_.get()->starts_with("12"));
}

// "Vendor:\tNVIDIA Corporation [10de]" of -vmm: the value, and the id at its end.
std::string_view value_and_id(std::string_view value, Text& id) {
  const auto open = value.rfind('[');
  if (open == std::string_view::npos || value.size() - open != 6 || !value.ends_with(']')) return value;
  const auto digits = value.substr(open + 1, 4);
  if (!number_of<unsigned>(digits, 16)) return value;
  id = std::string(digits);
  return trimmed(value.substr(0, open));
}

// Collects blocks, and the devices among them by address: a text may hold several runs of lspci.
class Reader {
 public:
  void take(std::string_view line) {
    LspciHeader header;
    if (parse_lspci_header(line, header)) {
      end_block(true);
      device_ = device_of(header);
      open_ = true;
    } else if (line.starts_with("Slot:")) {
      end_block(true);
      LspciHeader slot{.address = trimmed(line.substr(5))};
      device_ = device_of(slot);
      open_ = true;
      device_.class_ = Text();
    } else if (open_ && !take_machine_line(line)) {
      const auto text = trimmed(line);
      shows_drivers_ |= text.starts_with("Kernel driver in use:") || text.starts_with("Kernel modules:");
      has_details_ |= text.starts_with("Flags:") || text.starts_with("Control:");
      reached_end_ |= text.starts_with("Capabilities:");
      take_detail(line, device_);
    }
  }

  List<PciDevice> finish() {
    end_block(false);
    std::vector<PciDevice> devices;
    for (auto& [address, device] : found_) {
      // Where lspci shows drivers, a block without one has none; a plain list shows none at all.
      if (device.driver.outcome() == Outcome::not_probed && (shows_drivers_ || described_.contains(address)))
        device.driver = absent("no driver is in use");
      complete_name(device);
      devices.push_back(std::move(device));
    }
    if (devices.empty()) return {};
    return devices;
  }

 private:
  bool take_machine_line(std::string_view line) {
    if (line.starts_with("Class:")) {
      Text id;
      const auto name = value_and_id(trimmed(line.substr(6)), id);
      device_.class_ = id.get()                                            ? id
                       : number_of<unsigned>(name, 16) && name.size() == 4 ? Text(std::string(name))
                                                                           : Text(std::string(class_code_of(name)));
    } else if (line.starts_with("Vendor:")) {
      device_.vendor = std::string(value_and_id(trimmed(line.substr(7)), device_.vendor_id));
    } else if (line.starts_with("Device:")) {
      device_.name = std::string(value_and_id(trimmed(line.substr(7)), device_.device_id));
    } else if (line.starts_with("Driver:")) {
      device_.driver = std::string(trimmed(line.substr(7)));
      shows_drivers_ = true;
    } else if (line.starts_with("NUMANode:")) {
      if (const auto node = number_of(line.substr(9))) device_.numa_node = *node;
    } else {
      return false;
    }
    return true;
  }

  // The last block may have been cut before its driver was named, unless it names modules. One that reaches the
  // capabilities, which stand right before the driver, is taken for whole.
  void end_block(bool complete) {
    if (open_ && is_wanted(device_)) {
      const std::string address = *device_.address.get();
      if (complete && has_details_) described_[address] = true;
      if (reached_end_) described_[address] = true;
      if (!complete && !reached_end_ && device_.driver.outcome() == Outcome::not_probed &&
          (has_details_ || shows_drivers_))
        device_.driver = failed("the text ends before it");
      const auto [known, fresh] = found_.try_emplace(address, device_);
      if (!fresh) merge(known->second, device_);
    }
    open_ = has_details_ = reached_end_ = false;
  }

  static void merge(PciDevice& known, const PciDevice& more) {
    const auto fill = [](auto& into, const auto& from) {
      if (!into.get() && from.outcome() != Outcome::not_probed) into = from;
    };
    fill(known.vendor_id, more.vendor_id);
    fill(known.device_id, more.device_id);
    fill(known.vendor, more.vendor);
    fill(known.name, more.name);
    fill(known.driver, more.driver);
    fill(known.numa_node, more.numa_node);
    fill(known.link, more.link);
    fill(known.bars_mib, more.bars_mib);
    fill(known.virtual_functions, more.virtual_functions);
  }

  static void complete_name(PciDevice& device) {
    if (device.name.get() || !device.vendor_id.get() || !device.device_id.get()) return;
    const auto model = knowledge::gpu_model(*device.vendor_id.get(), *device.device_id.get());
    if (!model || model->guessed || model->name.empty()) return;
    device.name = model->chip.empty() ? model->name : fmt::format("{} [{}]", model->chip, model->name);
  }

  PciDevice device_{};
  bool open_ = false;
  bool has_details_ = false;
  bool reached_end_ = false;
  bool shows_drivers_ = false;
  std::map<std::string, PciDevice> found_{};
  std::map<std::string, bool> described_{};
};

}  // namespace

bool is_lspci_header(std::string_view line) {
  LspciHeader header;
  if (!parse_lspci_header(line, header)) return false;
  return !header.class_code.empty() || !class_code_of(header.class_name).empty() ||
         header.class_name.ends_with("bridge") || header.class_name.ends_with("controller");
}

List<PciDevice> parse_lspci(std::string_view text) {
  Reader reader;
  for (const auto line : lines_of(text)) reader.take(line.substr(0, longest_line));
  return reader.finish();
}

}  // namespace envdoctor
