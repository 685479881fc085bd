// nvidia-smi's table, and nvidia-smi -L.
#include <re2/re2.h>

#include <algorithm>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

namespace {

void compute_mode(NvidiaDevice& device, std::string_view value) {
  if (value == "Default") device.compute_mode = "default";
  if (value.starts_with("Exclusive") || value.starts_with("E. ")) device.compute_mode = "exclusive_process";
  if (value == "Prohibited") device.compute_mode = "prohibited";
}

class Table {
 public:
  void line(std::string_view line) {
    static const RE2 header(
        "NVIDIA-SMI +[0-9.]+ +(?:KMD |Driver )Version: +([0-9.]+)(?: +CUDA (?:UMD )?Version: +(\\S+))?", RE2::Latin1);
    static const RE2 first("^\\| +(\\d+) +(\\S[^|]*?) +(On|Off|N/A|WDDM|TCC|MCDM) *\\| +([0-9A-Fa-f:.]{7,16}) ",
                           RE2::Latin1);
    static const RE2 memory(
        "\\| +(\\d+)MiB / +(\\d+)MiB +\\|[^|]*?(Default|E\\. Process|E\\. Thread|Prohibited|)? *\\|", RE2::Latin1);
    static const RE2 mig("^\\|[ ]*\\|[ ]*\\| +(Enabled|Disabled)\\*? *\\|", RE2::Latin1);
    static const RE2 process("^\\| +(\\d+) +(?:\\S+ +\\S+ +)?(\\d+) +[CGM+]{1,3} +(\\S[^|]*?) +(\\d+)MiB *\\|",
                             RE2::Latin1);
    std::string a, b, c, d;
    if (RE2::PartialMatch(line, header, &a, &b)) {
      if (++headers_ > 1) return;  // a second table; the first one counts
      nvidia_.kernel_driver_version = a;
      if (!b.empty() && b[0] >= '0' && b[0] <= '9') nvidia_.cuda_driver_version = b;
      return;
    }
    if (headers_ > 1) return;
    if (contains(line, "Processes:")) processes_ = true;
    if (processes_ && RE2::PartialMatch(line, process, &a, &b, &c, &d)) {
      NvidiaProcess one{.pid = leading_number(b).value_or(0), .gpu = leading_number(a).value_or(0)};
      one.name = std::string(trimmed(base_name(c)));
      one.memory_mib = leading_number(d).value_or(0);
      nvidia_.processes.fill().push_back(std::move(one));
    } else if (!processes_ && RE2::PartialMatch(line, first, &a, &b, &c, &d)) {
      NvidiaDevice device{.index = leading_number(a).value_or(0), .name = std::string(trimmed(b)), .pci_address = d};
      if (c == "On") device.persistence = true;
      if (c == "Off") device.persistence = false;
      devices_.push_back(std::move(device));
    } else if (!processes_ && !devices_.empty() && RE2::PartialMatch(line, memory, &a, &b, &c)) {
      const auto used = leading_number(a), total = leading_number(b);
      if (used && total && *used <= *total && !devices_.back().memory_total_mib.get()) {
        devices_.back().memory_total_mib = *total;
        devices_.back().memory_free_mib = *total - *used;
      }
      compute_mode(devices_.back(), c);
    } else if (!processes_ && !devices_.empty() && RE2::PartialMatch(line, mig, &a)) {
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
  return contains(line, "| NVIDIA-SMI ") ||
         (line.starts_with("|") && (contains(line, " | 00000000:") || contains(line, " | 0000:")));
}

Snapshot parse_nvidia_smi(const std::string& text) {
  Table table;
  for (const auto line : lines_of(text)) table.line(trimmed(line));
  return table.take();
}

bool starts_nvidia_smi_list(std::string_view line) {
  return line.starts_with("GPU ") && contains(line, " (UUID: GPU-");
}

Snapshot parse_nvidia_smi_list(const std::string& text) {
  static const RE2 gpu("^GPU (\\d+): ([^(]+) \\(UUID: (GPU-[0-9a-fA-F-]+)\\)", RE2::Latin1);
  static const RE2 mig("^ +MIG ([^ ]+) +Device +(\\d+): \\(UUID: (MIG-[0-9a-zA-Z/-]+)\\)", RE2::Latin1);
  std::vector<NvidiaDevice> devices;
  for (const std::string_view line : lines_of(text)) {
    std::string a, b, c;
    if (RE2::PartialMatch(line, gpu, &a, &b, &c)) {
      const auto index = leading_number(a).value_or(0);
      if (std::ranges::none_of(devices, [&](const NvidiaDevice& known) { return known.index.is(index); }))
        devices.push_back({.index = index, .name = std::string(trimmed(b)), .uuid = c});
    } else if (!devices.empty() && RE2::PartialMatch(line, mig, &a, &b, &c)) {
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

void set(Number& into, std::string_view value) {
  if (const auto read = leading_number(value)) into = *read;
}

void add(Number& into, std::string_view value) {
  if (const auto read = leading_number(value)) into = into.or_empty() + *read;
}

void fabric_state(NvidiaDevice& device, std::string_view value) {
  if (value == "Completed") device.fabric_state = "completed";
  if (value == "In Progress") device.fabric_state = "in_progress";
  if (value == "Not Started") device.fabric_state = "not_started";
}

// Where a field stands, both as patterns, and what it fills.
struct QueryField {
  const char* section;
  const char* name;
  void (*take)(NvidiaDevice& device, std::string_view value);
};

constexpr QueryField query_fields[] = {
    {"", "Product Name", [](NvidiaDevice& d, std::string_view v) { d.name = std::string(v); }},
    {"", "GPU UUID", [](NvidiaDevice& d, std::string_view v) { d.uuid = std::string(v); }},
    {"", "Persistence Mode", [](NvidiaDevice& d, std::string_view v) { d.persistence = v == "Enabled"; }},
    {"", "Compute Mode", compute_mode},
    {"MIG Mode", "Current", [](NvidiaDevice& d, std::string_view v) { d.mig = v == "Enabled"; }},
    {"FB Memory Usage", "Total", [](NvidiaDevice& d, std::string_view v) { set(d.memory_total_mib, v); }},
    {"FB Memory Usage", "Free", [](NvidiaDevice& d, std::string_view v) { set(d.memory_free_mib, v); }},
    {"Fabric", "State", fabric_state},
    {"Volatile", "Uncorrectable", [](NvidiaDevice& d, std::string_view v) { add(d.ecc.fill().uncorrected, v); }},
    {"Volatile", " Correctable", [](NvidiaDevice& d, std::string_view v) { add(d.ecc.fill().corrected, v); }},
    {"Remapped Rows", "Pending", [](NvidiaDevice& d, std::string_view v) { d.ecc.fill().remap_pending = v == "Yes"; }},
    {"Remapped Rows", "Remapping Failure Occurred",
     [](NvidiaDevice& d, std::string_view v) { d.ecc.fill().remap_failed = v == "Yes"; }},
    {"Link Width", "Max", [](NvidiaDevice& d, std::string_view v) { set(d.link.fill().max_width, v); }},
    {"Link Width", "Current", [](NvidiaDevice& d, std::string_view v) { set(d.link.fill().width, v); }},
};

// The names under "Clocks Event Reasons" and "HW Slowdown" that say more than "idle".
constexpr std::pair<std::string_view, const char*> slowdowns[] = {{"HW Slowdown", "hw_slowdown"},
                                                                  {"HW Thermal Slowdown", "hw_thermal"},
                                                                  {"HW Power Brake Slowdown", "hw_power_brake"},
                                                                  {"SW Thermal Slowdown", "sw_thermal"},
                                                                  {"SW Power Cap", "power_cap"}};

class Query {
 public:
  void line(std::string_view line) {
    const bool indented = line.starts_with(' ');
    line = trimmed(line);
    if (line.empty()) return;
    const std::size_t colon = line.find(" : ");
    const std::string_view name = trimmed(line.substr(0, colon));
    const std::string_view value = colon == std::string_view::npos ? "" : trimmed(line.substr(colon + 3));
    // A GPU's address holds colons and no value.
    if (!indented && name.starts_with("GPU ") && contains(name, ":")) {
      devices_.push_back({.index = static_cast<std::int64_t>(devices_.size())});
      devices_.back().pci_address = std::string(trimmed(name.substr(4)));
      section_.clear();
    } else if (colon == std::string_view::npos) {
      section_ = name;  // of a section within a section only the inner name is kept
    } else if (devices_.empty()) {
      if (name == "Driver Version") nvidia_.kernel_driver_version = std::string(value);
      if (name == "CUDA Version" && leading_number(value)) nvidia_.cuda_driver_version = std::string(value);
    } else {
      field(devices_.back(), name, value);
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
  void field(NvidiaDevice& device, std::string_view name, std::string_view value) {
    const bool within = section_ == "Volatile";  // there a name says where the errors were as well
    for (const QueryField& row : query_fields) {
      const bool here = section_ == row.section || *row.section == 0;
      if (here && (within ? contains(name, row.name) : name == row.name) && (value != "N/A" || *row.section == 0))
        row.take(device, value);
    }
    if (value != "Active" || (!contains(section_, "Reasons") && section_ != "HW Slowdown")) return;
    for (const auto& [word, reason] : slowdowns)
      if (name == word) device.throttle_reasons.fill().emplace_back(reason);
  }

  Nvidia nvidia_{};
  std::vector<NvidiaDevice> devices_{};
  std::string section_{};
};

}  // namespace

bool starts_nvidia_smi_query(std::string_view line) { return contains(line, "=NVSMI LOG="); }

Snapshot parse_nvidia_smi_query(const std::string& text) {
  Query query;
  for (const auto line : lines_of(text)) query.line(line);
  return query.take();
}

}  // namespace envdoctor
