// nvidia-smi's table, and nvidia-smi -L.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/paste/nvidia_fields.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

namespace {

constexpr std::size_t most_table_gpus = 1024;

class Table {
 public:
  void line(std::string_view line) {
    static const LazyRegex header(
        "NVIDIA-SMI +[0-9.]+ +(?:KMD |Driver )Version: +([0-9.]+)(?: +CUDA (?:UMD )?Version: +(\\S+))?", RE2::Latin1);
    static const LazyRegex first(
        "^\\| +(\\d+) +(\\S[^|]*?) +(On|Off|N/A|WDDM|TCC|MCDM) *\\| +([0-9A-Fa-f:.]{7,16}) [^|]*(?:\\| +(\\S+) *\\|)?",
        RE2::Latin1);
    static const LazyRegex memory(
        "\\| +(\\d+)MiB / +(\\d+)MiB +\\| *(?:(\\d+)%)?[^|]*?(Default|E\\. Process|E\\. Thread|Prohibited|)? *\\|",
        RE2::Latin1);
    static const LazyRegex mig("^\\|[ ]*\\|[ ]*\\| +(Enabled|Disabled)\\*? *\\|", RE2::Latin1);
    static const LazyRegex process("^\\| +(\\d+) +(?:\\S+ +\\S+ +)?(\\d+) +[CGM+]{1,3} +(\\S[^|]*?) +(\\d+)MiB *\\|",
                                   RE2::Latin1);
    static const LazyRegex slice("^\\| +(\\d+) +\\d+ +\\d+ +(\\d+) *\\| +\\d+MiB / +(\\d+)MiB ", RE2::Latin1);
    // A table of processes that ends after its header lists none.
    if (rows_begin_ && line.starts_with("+----") && !nvidia_.processes.get()) nvidia_.processes.fill();
    if (!contains(line, "|")) return;
    std::string a, b, c, d, e;
    if (RE2::PartialMatch(line, header, &a, &b)) {
      if (++headers_ > 1) return begin_another();
      nvidia_.kernel_driver_version = a;
      if (!b.empty() && b[0] >= '0' && b[0] <= '9') nvidia_.cuda_driver_version = b;
      return;
    }
    if (contains(line, "Processes:")) processes_ = true;
    // Of a further table only the processes count, where those before list none: they were printed before they began.
    if (headers_ > 1 && (!processes_ || !idle_so_far_)) return;
    if (contains(line, "MIG devices:")) slices_ = true;
    if (contains(line, "No running processes found")) nvidia_.processes.fill();
    if (processes_ && line.starts_with("|====")) rows_begin_ = true;
    if (contains(line, "No MIG devices found")) {
      for (NvidiaDevice& device : devices_)
        if (device.mig.is(true)) device.mig_devices.fill();
    }
    if (processes_ && RE2::PartialMatch(line, process, &a, &b, &c, &d)) {
      NvidiaProcess one{.pid = leading_number(b).value_or(0), .gpu = leading_number(a).value_or(0)};
      one.name = std::string(trimmed(base_name(c)));
      one.memory_mib = leading_number(d).value_or(0);
      nvidia_.processes.fill().push_back(std::move(one));
    } else if (!processes_ && RE2::PartialMatch(line, first, &a, &b, &c, &d, &e)) {
      NvidiaDevice device{.index = leading_number(a).value_or(0), .name = std::string(trimmed(b)), .pci_address = d};
      if (c == "On") device.persistence = true;
      if (c == "Off") device.persistence = false;
      if (const auto errors = number_of(e)) device.ecc.fill().uncorrected = *errors;
      if (devices_.size() < most_table_gpus) devices_.push_back(std::move(device));
    } else if (!processes_ && slices_ && RE2::PartialMatch(line, slice, &a, &b, &c)) {
      for (NvidiaDevice& device : devices_)
        if (device.index.is(leading_number(a).value_or(-1)))
          device.mig_devices.fill().push_back(
              {.index = leading_number(b).value_or(0), .memory_total_mib = leading_number(c).value_or(0)});
    } else if (!processes_ && !devices_.empty() && RE2::PartialMatch(line, memory, &a, &b, &d, &c)) {
      const auto used = leading_number(a), total = leading_number(b);
      if (used && total && *used <= *total && !devices_.back().memory_total_mib.get()) {
        devices_.back().memory_total_mib = *total;
        devices_.back().memory_free_mib = *total - *used;
      }
      if (const auto busy = leading_number(d); busy && *busy <= 100) devices_.back().utilization_percent = *busy;
      take_compute_mode(devices_.back(), c);
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
  // A further table begins.
  void begin_another() {
    idle_so_far_ = nvidia_.processes.get() && nvidia_.processes.get()->empty();
    processes_ = rows_begin_ = false;
  }

  Nvidia nvidia_{};
  std::vector<NvidiaDevice> devices_{};
  int headers_ = 0;
  bool processes_ = false;
  bool slices_ = false;
  bool rows_begin_ = false;  // of processes
  bool idle_so_far_ = false;
};

}  // namespace

// The header, or the first row of a GPU where the header was cut off.
bool starts_nvidia_smi(std::string_view line) {
  return contains(line, "| NVIDIA-SMI ") ||
         (line.starts_with("|") &&
          (contains(line, " | 00000000:") || contains(line, " | 0000:") || line.starts_with("| Processes: ")));
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
  static const LazyRegex gpu("^GPU (\\d+): ([^(]+) \\(UUID: (GPU-[0-9a-fA-F-]+)\\)", RE2::Latin1);
  static const LazyRegex mig("^ +MIG ([^ ]+) +Device +(\\d+): \\(UUID: (MIG-[0-9a-zA-Z/-]+)\\)", RE2::Latin1);
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

}  // namespace envdoctor
