#include "probe/gpu/lspci.h"

#include <re2/re2.h>

#include <array>
#include <cctype>
#include <map>
#include <set>

#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/gpu/pci_devices.h"

namespace envdoctor {

namespace {

using Piece = re2::StringPiece;

constexpr std::size_t longest_line = 4096;

struct Header {
  Piece address{};
  Piece class_name{};
  Piece class_code{};  // four hex digits, or empty
  Piece vendor_id{};
  Piece device_id{};
  Piece vendor{};       // where it is a separate field
  Piece name{};         // vendor and device as printed, without ids and revision
  bool silent = false;  // "rev ff": its registers read as ones, so it is switched off or gone
};

// Whether a line may begin with "65:00.0" or "0000:65:00.0"; checked for each line of a log, so without a regular
// expression.
bool may_begin_with_address(std::string_view line) {
  const std::size_t colon = line.substr(0, 9).find(':');
  if (colon != 2 && (colon < 4 || colon > 8)) return false;
  const std::string_view bus = line.substr(colon == 2 ? 0 : colon + 1);
  return bus.size() > 7 && bus[2] == ':' && bus[5] == '.';
}

// "0000:65:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100] [10de:2330] (rev a1)", or "65:00.0 0302:
// 10de:2330" of -n. False for other lines.
bool parse_header(std::string_view line, Header& header) {
  static const LazyRegex whole(R"(((?:[[:xdigit:]]{4,8}:)?[[:xdigit:]]{2}:[[:xdigit:]]{2}\.[0-7])\s+(.*?)\s*:\s+(.*))",
                               RE2::Latin1);
  static const LazyRegex coded(R"((?:(.*)\[)?([[:xdigit:]]{4})(?:\][^\[]*)?)", RE2::Latin1);
  static const LazyRegex revision(R"(\s+\((?:rev|prog-if) .*)", RE2::Latin1);
  static const LazyRegex only_ids(R"(([[:xdigit:]]{4}):([[:xdigit:]]{4}).*)", RE2::Latin1);
  static const LazyRegex ids(R"((.+)\[([[:xdigit:]]{4}):([[:xdigit:]]{4}).*)", RE2::Latin1);
  // "65:00.0 "3D controller [0302]" "NVIDIA Corporation [10de]" "GH100 [2330]" -ra1 …" of -mm.
  static const LazyRegex quoted(
      R"re(((?:[[:xdigit:]]{4,8}:)?[[:xdigit:]]{2}:[[:xdigit:]]{2}\.[0-7]) "([^"]*)" "([^"]*)" "([^"]*)".*)re",
      RE2::Latin1);
  line = trimmed(line);
  if (!may_begin_with_address(line)) return false;
  header = {};
  Piece rest, words;
  if (contains(line, "\" \"") &&
      RE2::FullMatch(line, quoted, &header.address, &header.class_name, &header.vendor, &header.name)) {
    if (RE2::FullMatch(header.class_name, coded, &words, &header.class_code)) header.class_name = words;
    return true;
  }
  if (!RE2::FullMatch(line, whole, &header.address, &header.class_name, &rest)) return false;
  const bool has_code = RE2::FullMatch(header.class_name, coded, &words, &header.class_code);
  if (has_code) header.class_name = words;
  header.silent = contains(rest, " (rev ff)");
  if (has_code && words.empty() && RE2::FullMatch(rest, only_ids, &header.vendor_id, &header.device_id)) return true;
  header.name = rest;
  if (Piece cut; revision->Match(rest, 0, rest.size(), RE2::UNANCHORED, &cut, 1))
    header.name.remove_suffix(static_cast<std::size_t>(rest.end() - cut.begin()));
  if (RE2::FullMatch(header.name, ids, &rest, &header.vendor_id, &header.device_id)) header.name = rest;
  return true;
}

struct Vendor {
  std::string_view start;
  std::string_view id;
};

// Vendors that lspci's texts begin with; nothing else separates the vendor from the device.
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

// Four-digit class for a class in words; empty if it is neither a display nor an accelerator.
std::string class_code_of(std::string_view class_name) {
  static const std::map<std::string_view, const char*> codes = {{"VGA compatible controller", "0300"},
                                                                {"XGA compatible controller", "0301"},
                                                                {"3D controller", "0302"},
                                                                {"Display controller", "0380"},
                                                                {"Processing accelerators", "1200"}};
  const auto known = codes.find(trimmed(class_name));
  return known == codes.end() ? "" : known->second;
}

// "NVIDIA Corporation [10de]" of -vmm and -mm: the value, and the id at its end.
std::string value_and_id(std::string_view value, Text& id) {
  static const LazyRegex with_id(R"((.*?)\s*\[([[:xdigit:]]{4})\])", RE2::Latin1);
  std::string text, digits;
  if (!RE2::FullMatch(value, with_id, &text, &digits)) return std::string(value);
  id = lower_case(digits);
  return text;
}

// Vendor and device name from one text: "NVIDIA Corporation GA102 [GeForce RTX 3090]".
void name_device(std::string_view name, PciDevice& device) {
  for (const Vendor& vendor : vendors) {
    if (!name.starts_with(vendor.start)) continue;
    device.vendor = std::string(vendor.start);
    if (!device.vendor_id.get() && !vendor.id.empty()) device.vendor_id = std::string(vendor.id);
    name = trimmed(name.substr(vendor.start.size()));
    break;
  }
  static const LazyRegex number(R"(Device ([[:xdigit:]]{4})\b.*)", RE2::Latin1);
  std::string id;
  if (!device.device_id.get() && RE2::FullMatch(name, number, &id)) device.device_id = lower_case(id);
  if (name.empty() || name == "Device" || name.starts_with("Device "))
    device.name = absent("lspci's list doesn't know the device");
  else
    device.name = std::string(name.substr(0, 200));
}

std::string full_address(std::string_view address) {
  return (address.find(':') == 2 ? "0000:" : "") + lower_case(address);
}

PciDevice device_of(const Header& header) {
  PciDevice device{.address = full_address(header.address)};
  device.class_ = header.class_code.empty() ? class_code_of(header.class_name) : lower_case(header.class_code);
  if (!header.vendor_id.empty()) device.vendor_id = lower_case(header.vendor_id);
  if (!header.device_id.empty()) device.device_id = lower_case(header.device_id);
  std::string name(trimmed(header.name));
  if (!header.vendor.empty())
    name = value_and_id(header.vendor, device.vendor_id) + " " + value_and_id(name, device.device_id);
  if (!name.empty()) name_device(name, device);
  if (header.silent) device.link = failed("the device answers nothing (rev ff): switched off, or gone from the bus");
  return device;
}

// "[size=16M]" in MiB; 0 if it is smaller or not there.
std::int64_t size_mib(std::string_view line) {
  static const LazyRegex size(R"(\[size=(\d+)([KMGT])\])", RE2::Latin1);
  std::int64_t number = 0;
  char unit = 0;
  if (!RE2::PartialMatch(line, size, &number, &unit) || number > 1 << 20) return 0;
  return unit == 'K' ? number >> 10 : unit == 'M' ? number : unit == 'G' ? number << 10 : number << 20;
}

// "Speed 16GT/s (ok), Width x16".
void take_link(std::string_view line, Real& speed, Number& width) {
  static const LazyRegex speed_form(R"(Speed\s+([^,\s]*?)GT/s)", RE2::Latin1);
  static const LazyRegex width_form(R"(Width\s+x([^,\s]*))", RE2::Latin1);
  Piece found;
  speed = RE2::PartialMatch(line, speed_form, &found) ? link_speed(found)
                                                      : Real(absent("lspci doesn't know the link's speed"));
  width = RE2::PartialMatch(line, width_form, &found) ? link_width(found)
                                                      : Number(absent("lspci doesn't know the link's width"));
}

// The first line of a dump of the configuration space holds the ids (PCI Local Bus Specification 3.0, 6.1).
void take_dump(std::string_view line, PciDevice& device) {
  constexpr const char* four_bytes =
      R"(\s+([[:xdigit:]]{2})\s+([[:xdigit:]]{2})\s+([[:xdigit:]]{2})\s+([[:xdigit:]]{2}))";
  static const LazyRegex bytes(std::string("00:") + four_bytes + R"((?:\s+[[:xdigit:]]{2}){8}.*)", RE2::Latin1);
  Piece a, b, c, d;
  if (device.device_id.get() || !RE2::FullMatch(line, bytes, &a, &b, &c, &d) || a == "ff") return;
  const auto number = [](Piece high, Piece low) { return lower_case(high.as_string() + low.as_string()); };
  device.vendor_id = number(b, a);
  device.device_id = number(d, c);
}

// Fills in the values of a line of details.
void take_detail(std::string_view line, PciDevice& device) {
  static const LazyRegex functions(R"(Number of VFs: +(\d+))", RE2::Latin1);
  const auto [key, value] = key_value(line);
  std::int64_t number = 0;
  if (key == "Kernel driver in use") {
    device.driver = std::string(value.substr(0, 64));
  } else if (key == "Kernel modules") {
    if (!device.driver.get()) device.driver = absent("no driver is in use");
  } else if (key == "NUMA node") {
    if (const auto node = number_of(value)) device.numa_node = *node;
  } else if ((key == "LnkCap" || key == "LnkSta") && device.link.outcome() != Outcome::failed) {
    PciLink& link = device.link.fill();
    const bool most = key == "LnkCap";
    take_link(line, most ? link.max_speed_gtps : link.speed_gtps, most ? link.max_width : link.width);
  } else if (contains(line, "Memory at ")) {
    auto& sizes = device.bars_mib.fill();
    if (const auto size = size_mib(line); size > 0 && sizes.size() < 6) sizes.push_back(size);
  } else if (RE2::PartialMatch(line, functions, &number)) {
    device.virtual_functions = number;
  } else if (key == "00") {
    take_dump(line, device);
  }
}

bool is_wanted(const PciDevice& device) {
  return device.class_.or_empty().starts_with("03") || device.class_.or_empty().starts_with("12");
}

// Collects blocks, and the devices among them by address: a text may hold several runs of lspci.
class Reader {
 public:
  void take(std::string_view line) {
    Header header;
    if (parse_header(line, header)) {
      start_block(device_of(header));
    } else if (line.starts_with("Slot:")) {
      start_block({.address = full_address(trimmed(line.substr(5)))});
    } else if (open_ && !take_machine_line(line)) {
      line = trimmed(line);
      shows_drivers_ |= line.starts_with("Kernel driver in use:") || line.starts_with("Kernel modules:");
      has_details_ |= line.starts_with("Flags:") || line.starts_with("Control:");
      reached_end_ |= line.starts_with("Capabilities:");
      take_detail(line, device_);
    }
  }

  List<PciDevice> finish() {
    end_block(false);
    std::vector<PciDevice> devices;
    for (auto& [address, device] : found_) {
      // Where lspci shows drivers, a block without one has no driver; a plain list shows no drivers.
      if (device.driver.outcome() == Outcome::not_probed && (shows_drivers_ || described_.contains(address)))
        device.driver = absent("no driver is in use");
      if (!device.name.get()) device.name = model_name(device, device.name);
      devices.push_back(std::move(device));
    }
    if (devices.empty()) return {};
    return devices;
  }

 private:
  bool take_machine_line(std::string_view line) {
    const auto [key, value] = key_value(line);
    if (!line.starts_with(key)) return false;
    if (key == "Class") {
      Text id;
      const std::string name = value_and_id(value, id);
      const bool is_code = name.size() == 4 && number_of<unsigned>(name, 16);
      device_.class_ = id.get() ? id : Text(is_code ? name : class_code_of(name));
    } else if (key == "Vendor") {
      device_.vendor = value_and_id(value, device_.vendor_id);
    } else if (key == "Device") {
      device_.name = value_and_id(value, device_.device_id);
    } else if (key == "Driver") {
      device_.driver = std::string(value);
      shows_drivers_ = true;
    } else if (key == "NUMANode") {
      if (const auto node = number_of(value)) device_.numa_node = *node;
    } else {
      return false;
    }
    return true;
  }

  void start_block(PciDevice device) {
    end_block(true);
    device_ = std::move(device);
    open_ = true;
  }

  // The last block may be truncated before its driver, unless it names modules. One that reaches the
  // capabilities, which come right before the driver, counts as complete.
  void end_block(bool complete) {
    if (open_ && is_wanted(device_)) {
      const std::string& address = *device_.address.get();
      if (reached_end_ || (complete && has_details_)) described_.insert(address);
      if (!complete && !reached_end_ && device_.driver.outcome() == Outcome::not_probed &&
          (has_details_ || shows_drivers_))
        device_.driver = failed("the text ends before it");
      each_pair(found_.try_emplace(address, device_).first->second, device_,
                [](std::string_view, auto& known, const auto& more) {
                  if (!known.get() && more.outcome() != Outcome::not_probed) known = more;
                });
    }
    open_ = has_details_ = reached_end_ = false;
  }

  PciDevice device_{};
  bool open_ = false;
  bool has_details_ = false;
  bool reached_end_ = false;
  bool shows_drivers_ = false;
  std::map<std::string, PciDevice> found_{};
  std::set<std::string> described_{};
};

}  // namespace

bool is_lspci_header(std::string_view line) {
  if (!may_begin_with_address(trimmed(line))) return false;  // as nearly all lines of a log
  Header header;
  if (!parse_header(line, header)) return false;
  return !header.class_code.empty() || !class_code_of(header.class_name).empty() ||
         header.class_name.ends_with("bridge") || header.class_name.ends_with("controller");
}

List<PciDevice> parse_lspci(std::string_view text) {
  Reader reader;
  for (const auto line : lines_of(text)) reader.take(line.substr(0, longest_line));
  return reader.finish();
}

}  // namespace envdoctor
