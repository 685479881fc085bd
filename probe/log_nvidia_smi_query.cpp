// nvidia-smi -q: "Name : value" by indentation, one block a GPU.
#include <algorithm>

#include "probe/log_parsers.h"
#include "probe/log_text.h"

namespace envdoctor {
namespace {

using log_text::leading_number;

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

class Query {
 public:
  void line(std::string_view line) {
    const std::size_t indent = indent_of(line);
    line = log_text::trimmed(line);
    if (line.empty()) return;
    const std::size_t colon = line.find(" : ");
    const std::string_view name = log_text::trimmed(line.substr(0, colon));
    // A GPU's address holds colons and no value.
    if (indent == 0 && name.starts_with("GPU ") && name.find(':') != std::string_view::npos) {
      devices_.push_back({.index = static_cast<std::int64_t>(devices_.size())});
      devices_.back().pci_address = std::string(log_text::trimmed(name.substr(4)));
      section_.clear();
    } else if (colon == std::string_view::npos) {
      section_ = name;  // of a section within a section only the inner name is kept
    } else if (devices_.empty()) {
      header(name, log_text::trimmed(line.substr(colon + 3)));
    } else {
      field(devices_.back(), name, log_text::trimmed(line.substr(colon + 3)));
    }
  }

  Snapshot take() {
    Snapshot snapshot;
    if (!nvidia_.kernel_driver_version.get() && devices_.empty()) return snapshot;
    if (!devices_.empty()) nvidia_.devices = std::move(devices_);
    snapshot.nvidia = std::move(nvidia_);
    return snapshot;
  }

 private:
  void header(std::string_view name, std::string_view value) {
    if (name == "Driver Version") nvidia_.kernel_driver_version = std::string(value);
    if (name == "CUDA Version" && !value.empty() && value[0] >= '0' && value[0] <= '9')
      nvidia_.cuda_driver_version = std::string(value);
  }

  static void number(Number& into, std::string_view value) {
    if (const auto read = leading_number(value)) into = *read;
  }

  void field(NvidiaDevice& device, std::string_view name, std::string_view value) {
    if (name == "Product Name") device.name = std::string(value);
    if (name == "GPU UUID") device.uuid = std::string(value);
    if (name == "Persistence Mode") device.persistence = value == "Enabled";
    if (name == "Compute Mode") compute_mode(device, value);
    if (section_ == "MIG Mode" && name == "Current" && value != "N/A") device.mig = value == "Enabled";
    if (section_ == "FB Memory Usage" && name == "Total") number(device.memory_total_mib, value);
    if (section_ == "FB Memory Usage" && name == "Free") number(device.memory_free_mib, value);
    if (section_ == "Fabric" && name == "State") fabric(device, value);
    if ((section_ == "Volatile" || section_ == "Remapped Rows") && value != "N/A") errors(device, name, value);
    if (section_ == "PCIe Generation" || section_ == "Link Width") link(device, name, value);
    if (section_.find("Reasons") != std::string::npos || section_ == "HW Slowdown") throttling(device, name, value);
  }

  static void compute_mode(NvidiaDevice& device, std::string_view value) {
    if (value == "Default") device.compute_mode = "default";
    if (value.starts_with("Exclusive")) device.compute_mode = "exclusive_process";
    if (value == "Prohibited") device.compute_mode = "prohibited";
  }

  static void fabric(NvidiaDevice& device, std::string_view value) {
    if (value == "Completed") device.fabric_state = "completed";
    if (value == "In Progress") device.fabric_state = "in_progress";
    if (value == "Not Started") device.fabric_state = "not_started";
  }

  void errors(NvidiaDevice& device, std::string_view name, std::string_view value) {
    Ecc& ecc = device.ecc.fill();
    const auto add = [&value](Number& into) {
      if (const auto read = leading_number(value)) into = (into.get() ? *into.get() : 0) + *read;
    };
    if (section_ == "Volatile" && name.find("Uncorrectable") != std::string_view::npos) add(ecc.uncorrected);
    if (section_ == "Volatile" && name.find(" Correctable") != std::string_view::npos) add(ecc.corrected);
    if (name == "Pending") ecc.remap_pending = value == "Yes";
    if (name == "Remapping Failure Occurred") ecc.remap_failed = value == "Yes";
  }

  void link(NvidiaDevice& device, std::string_view name, std::string_view value) {
    PciLink& link = device.link.fill();
    if (section_ != "Link Width") return;
    if (name == "Max") number(link.max_width, value);
    if (name == "Current") number(link.width, value);
  }

  static void throttling(NvidiaDevice& device, std::string_view name, std::string_view value) {
    if (value != "Active") return;
    static constexpr std::pair<std::string_view, const char*> words[] = {{"HW Slowdown", "hw_slowdown"},
                                                                         {"HW Thermal Slowdown", "hw_thermal"},
                                                                         {"HW Power Brake Slowdown", "hw_power_brake"},
                                                                         {"SW Thermal Slowdown", "sw_thermal"},
                                                                         {"SW Power Cap", "power_cap"}};
    for (const auto& [word, reason] : words) {
      if (name == word) device.throttle_reasons.fill().emplace_back(reason);
    }
  }

  Nvidia nvidia_{};
  std::vector<NvidiaDevice> devices_{};
  std::string section_{};
};

}  // namespace

bool starts_nvidia_smi_query(std::string_view line) { return line.find("=NVSMI LOG=") != std::string_view::npos; }

Snapshot parse_nvidia_smi_query(const std::string& text) {
  Query query;
  log_text::each_line(text, [&query](std::string_view line) { query.line(line); });
  return query.take();
}

}  // namespace envdoctor
