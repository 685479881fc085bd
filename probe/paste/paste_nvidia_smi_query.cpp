// nvidia-smi -q: "Name : value" below sections and sections within sections, one block per GPU.
#include <algorithm>
#include <utility>

#include "probe/paste/nvidia_fields.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_query_gpus = 1024;

constexpr std::string_view log_header = "=NVSMI LOG=";

// Sections that people copy out of the log; no other program prints them.
bool is_cut_section(std::string_view name) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"GPU Link Info", "Link Width", "PCIe Generation", "Fabric",
                                              "Clocks Throttle Reasons", "Clocks Event Reasons", "Remapped Rows",
                                              "FB Memory Usage", "ECC Errors", "Retired Pages", "ECC Mode", "MIG Mode"},
      [name](std::string_view one) { return name == one; });
}

class Query {
 public:
  void line(std::string_view line) {
    const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
    line = trimmed(line);
    if (line.empty() || done_) return;
    const std::size_t colon = line.find(" : ");
    const std::string_view name = trimmed(line.substr(0, colon));
    const std::string_view value = colon == std::string_view::npos ? "" : trimmed(line.substr(colon + 3));
    if (contains(line, log_header)) {
      done_ = std::exchange(begun_, true) && !devices_.empty();                   // a second run; the first one counts
    } else if (indent == 0 && name.starts_with("GPU ") && contains(name, ":")) {  // its address, and no value
      if (devices_.size() >= most_query_gpus) return void(done_ = true);
      devices_.push_back({.index = static_cast<std::int64_t>(devices_.size())});
      devices_.back().pci_address = std::string(trimmed(name.substr(4)));
      sections_.clear();
    } else if (colon == std::string_view::npos) {
      if (devices_.empty() && !begun_ && is_cut_section(name)) devices_.push_back({.index = 0});
      open(indent, name);
    } else {
      // Without indentation a section ends only where the next one begins.
      while (!sections_.empty() && indent > 0 && sections_.back().indent >= indent) sections_.pop_back();
      field(name, value);
    }
  }

  Snapshot take() {
    Snapshot snapshot;
    if (!nvidia_.kernel_driver_version.get() && devices_.empty()) return snapshot;
    if (!devices_.empty()) nvidia_.devices = std::move(devices_);
    snapshot.nvidia = std::move(nvidia_);
    snapshot.log = std::move(hot_);
    return snapshot;
  }

 private:
  struct Section {
    std::size_t indent = 0;
    std::string name{};
  };

  void open(std::size_t indent, std::string_view name) {
    while (!sections_.empty() && sections_.back().indent >= indent) sections_.pop_back();
    if (sections_.size() < 8) sections_.push_back({indent, std::string(name.substr(0, 80))});
    if (name == "MIG Device" && !devices_.empty()) devices_.back().mig_devices.fill().emplace_back();
  }

  void field(std::string_view name, std::string_view value) {
    if (devices_.empty()) {
      if (name == "Driver Version" || name == "KMD Version") nvidia_.kernel_driver_version = std::string(value);
      if ((name == "CUDA Version" || name == "CUDA UMD Version") && leading_number(value))
        nvidia_.cuda_driver_version = std::string(value);
      return;
    }
    std::string place;
    for (const Section& section : sections_) place += "/" + section.name;
    place.append("/").append(name);
    NvidiaDevice& device = devices_.back();
    if (name == "Processes" && value == "None") {
      nvidia_.processes.fill();
    } else if (place.starts_with("/Processes/")) {
      auto& processes = nvidia_.processes.fill();
      if (name == "Process ID") processes.push_back({.gpu = device.index});
      if (!processes.empty()) take_process_field(processes.back(), place, value);
    } else if (place.starts_with("/MIG Device/") && device.mig_devices.get()) {
      take_mig_field(device.mig_devices.get()->back(), place, value);
    } else {
      take_query_field(device, place, value);
      if (name == "GPU Max Operating Temp") hot(device, value);
    }
  }

  // At the temperature from which the driver lowers the clocks, either the board's own limit or a configured one.
  void hot(const NvidiaDevice& device, std::string_view limit) {
    const auto most = leading_number(limit);
    if (!most || !device.temperature_c.get() || *device.temperature_c.get() + 1 < *most || hot_.get()) return;
    Symptom& symptom = hot_.fill().emplace_back();
    symptom.class_ = "limited";
    symptom.subject = "gpu-temperature";
    symptom.details = {{"limit_c", std::to_string(*most)},
                       {"temperature_c", std::to_string(*device.temperature_c.get())}};
  }

  List<Symptom> hot_{};
  Nvidia nvidia_{};
  std::vector<NvidiaDevice> devices_{};
  std::vector<Section> sections_{};
  bool begun_ = false;
  bool done_ = false;
};

}  // namespace

bool starts_nvidia_smi_query(std::string_view line) {
  return contains(line, log_header) || is_cut_section(trimmed(line));
}

Snapshot parse_nvidia_smi_query(const std::string& text) {
  Query query;
  for (const auto line : lines_of(text)) query.line(line);
  return query.take();
}

}  // namespace envdoctor
