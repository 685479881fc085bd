// nvidia-smi's table, and nvidia-smi -L.
#include <re2/re2.h>

#include <algorithm>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

namespace {

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options latin() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  return options;
}

void compute_mode(NvidiaDevice& device, std::string_view value) {
  if (value == "Default") device.compute_mode = "default";
  if (value.starts_with("Exclusive") || value.starts_with("E. ")) device.compute_mode = "exclusive_process";
  if (value == "Prohibited") device.compute_mode = "prohibited";
}

class Table {
 public:
  void line(std::string_view line) {
    static const RE2 header(
        "NVIDIA-SMI +[0-9.]+ +(?:KMD |Driver )Version: +([0-9.]+)(?: +CUDA (?:UMD )?Version: +(\\S+))?", latin());
    static const RE2 first("^\\| +(\\d+) +(\\S[^|]*?) +(On|Off|N/A|WDDM|TCC|MCDM) *\\| +([0-9A-Fa-f:.]{7,16}) ",
                           latin());
    static const RE2 memory(
        "\\| +(\\d+)MiB / +(\\d+)MiB +\\|[^|]*?(Default|E\\. Process|E\\. Thread|Prohibited|)? *\\|", latin());
    static const RE2 mig("^\\|[ ]*\\|[ ]*\\| +(Enabled|Disabled)\\*? *\\|", latin());
    static const RE2 process("^\\| +(\\d+) +(?:\\S+ +\\S+ +)?(\\d+) +[CGM+]{1,3} +(\\S[^|]*?) +(\\d+)MiB *\\|",
                             latin());
    std::string a, b, c, d;
    if (RE2::PartialMatch(piece(line), header, &a, &b)) {
      if (++headers_ > 1) return;  // a second table; the first one counts
      nvidia_.kernel_driver_version = a;
      if (!b.empty() && b[0] >= '0' && b[0] <= '9') nvidia_.cuda_driver_version = b;
      return;
    }
    if (headers_ > 1) return;
    if (line.find("Processes:") != std::string_view::npos) processes_ = true;
    if (processes_ && RE2::PartialMatch(piece(line), process, &a, &b, &c, &d)) {
      NvidiaProcess one{.pid = leading_number(b).value_or(0), .gpu = leading_number(a).value_or(0)};
      one.name = std::string(trimmed(base_name(c)));
      one.memory_mib = leading_number(d).value_or(0);
      nvidia_.processes.fill().push_back(std::move(one));
    } else if (!processes_ && RE2::PartialMatch(piece(line), first, &a, &b, &c, &d)) {
      NvidiaDevice device{.index = leading_number(a).value_or(0), .name = std::string(trimmed(b)), .pci_address = d};
      if (c == "On") device.persistence = true;
      if (c == "Off") device.persistence = false;
      devices_.push_back(std::move(device));
    } else if (!processes_ && !devices_.empty() && RE2::PartialMatch(piece(line), memory, &a, &b, &c)) {
      const auto used = leading_number(a), total = leading_number(b);
      if (used && total && *used <= *total && !devices_.back().memory_total_mib.get()) {
        devices_.back().memory_total_mib = *total;
        devices_.back().memory_free_mib = *total - *used;
      }
      compute_mode(devices_.back(), c);
    } else if (!processes_ && !devices_.empty() && RE2::PartialMatch(piece(line), mig, &a)) {
      devices_.back().mig = a == "Enabled";
    }
  }

  Snapshot take() {
    Snapshot snapshot;
    if (headers_ == 0 && devices_.empty()) return snapshot;
    if (!devices_.empty()) nvidia_.devices = std::move(devices_);
    snapshot.nvidia = std::move(nvidia_);
    return snapshot;
  }

 private:
  Nvidia nvidia_{};
  std::vector<NvidiaDevice> devices_{};
  int headers_ = 0;
  bool processes_ = false;
};

}  // namespace

// The header, or the first row of a GPU where the header was cut off.
bool starts_nvidia_smi(std::string_view line) {
  if (!line.starts_with("|")) return line.find("| NVIDIA-SMI ") != std::string_view::npos;
  return line.find("| NVIDIA-SMI ") != std::string_view::npos || line.find(" | 00000000:") != std::string_view::npos ||
         line.find(" | 0000:") != std::string_view::npos;
}

Snapshot parse_nvidia_smi(const std::string& text) {
  Table table;
  for (const auto line : lines_of(text)) table.line(trimmed(line));
  return table.take();
}

bool starts_nvidia_smi_list(std::string_view line) {
  return line.starts_with("GPU ") && line.find(" (UUID: GPU-") != std::string_view::npos;
}

Snapshot parse_nvidia_smi_list(const std::string& text) {
  static const RE2 gpu("^GPU (\\d+): ([^(]+) \\(UUID: (GPU-[0-9a-fA-F-]+)\\)", latin());
  static const RE2 mig("^ +MIG ([^ ]+) +Device +(\\d+): \\(UUID: (MIG-[0-9a-zA-Z/-]+)\\)", latin());
  std::vector<NvidiaDevice> devices;
  for (const std::string_view line : lines_of(text)) {
    std::string a, b, c;
    if (RE2::PartialMatch(piece(line), gpu, &a, &b, &c)) {
      const auto index = leading_number(a).value_or(0);
      if (std::ranges::none_of(devices, [&](const NvidiaDevice& known) { return known.index.is(index); }))
        devices.push_back({.index = index, .name = std::string(trimmed(b)), .uuid = c});
    } else if (!devices.empty() && RE2::PartialMatch(piece(line), mig, &a, &b, &c)) {
      devices.back().mig = true;
      devices.back().mig_devices.fill().push_back(
          {.index = leading_number(b).value_or(0), .name = "MIG " + a, .uuid = c});
    }
  }
  Snapshot snapshot;
  if (!devices.empty()) snapshot.nvidia.fill().devices = std::move(devices);
  return snapshot;
}

// nvidia-smi -q: "Name : value" by indentation, one block a GPU.

namespace {

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

class Query {
 public:
  void line(std::string_view line) {
    const std::size_t indent = indent_of(line);
    line = trimmed(line);
    if (line.empty()) return;
    const std::size_t colon = line.find(" : ");
    const std::string_view name = trimmed(line.substr(0, colon));
    // A GPU's address holds colons and no value.
    if (indent == 0 && name.starts_with("GPU ") && name.find(':') != std::string_view::npos) {
      devices_.push_back({.index = static_cast<std::int64_t>(devices_.size())});
      devices_.back().pci_address = std::string(trimmed(name.substr(4)));
      section_.clear();
    } else if (colon == std::string_view::npos) {
      section_ = name;  // of a section within a section only the inner name is kept
    } else if (devices_.empty()) {
      header(name, trimmed(line.substr(colon + 3)));
    } else {
      field(devices_.back(), name, trimmed(line.substr(colon + 3)));
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
  for (const auto line : lines_of(text)) query.line(line);
  return query.take();
}

}  // namespace envdoctor
