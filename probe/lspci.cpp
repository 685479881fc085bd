#include "probe/lspci.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "knowledge/gpus.h"
#include "probe/lspci_block.h"
#include "probe/text.h"

namespace envdoctor {
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
