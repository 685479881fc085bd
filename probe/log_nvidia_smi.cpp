// nvidia-smi's table, and nvidia-smi -L.
#include <re2/re2.h>

#include "probe/log_parsers.h"
#include "probe/log_text.h"

namespace envdoctor {
namespace {

using log_text::leading_number;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

RE2::Options latin() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  return options;
}

std::string tidy(std::string name) {
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
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
      one.name = tidy(c.substr(c.find_last_of('/') == std::string::npos ? 0 : c.find_last_of('/') + 1));
      one.memory_mib = leading_number(d).value_or(0);
      nvidia_.processes.fill().push_back(std::move(one));
    } else if (!processes_ && RE2::PartialMatch(piece(line), first, &a, &b, &c, &d)) {
      NvidiaDevice device{.index = leading_number(a).value_or(0), .name = tidy(b), .pci_address = d};
      if (c == "On") device.persistence = true;
      if (c == "Off") device.persistence = false;
      devices_.push_back(std::move(device));
    } else if (!processes_ && !devices_.empty() && RE2::PartialMatch(piece(line), memory, &a, &b, &c)) {
      const auto used = leading_number(a), total = leading_number(b);
      if (used && total && *used <= *total && !devices_.back().memory_total_mib.get()) {
        devices_.back().memory_total_mib = *total;
        devices_.back().memory_free_mib = *total - *used;
      }
      if (c == "Default") devices_.back().compute_mode = "default";
      if (c == "E. Process" || c == "E. Thread") devices_.back().compute_mode = "exclusive_process";
      if (c == "Prohibited") devices_.back().compute_mode = "prohibited";
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
  log_text::each_line(text, [&table](std::string_view line) { table.line(log_text::trimmed(line)); });
  return table.take();
}

bool starts_nvidia_smi_list(std::string_view line) {
  return line.starts_with("GPU ") && line.find(" (UUID: GPU-") != std::string_view::npos;
}

Snapshot parse_nvidia_smi_list(const std::string& text) {
  static const RE2 gpu("^GPU (\\d+): ([^(]+) \\(UUID: (GPU-[0-9a-fA-F-]+)\\)", latin());
  static const RE2 mig("^ +MIG ([^ ]+) +Device +(\\d+): \\(UUID: (MIG-[0-9a-zA-Z/-]+)\\)", latin());
  std::vector<NvidiaDevice> devices;
  log_text::each_line(text, [&devices](std::string_view line) {
    std::string a, b, c;
    if (RE2::PartialMatch(piece(line), gpu, &a, &b, &c)) {
      const auto index = leading_number(a).value_or(0);
      for (const NvidiaDevice& known : devices) {
        if (known.index.is(index)) return;
      }
      devices.push_back({.index = index, .name = tidy(b), .uuid = c});
    } else if (!devices.empty() && RE2::PartialMatch(piece(line), mig, &a, &b, &c)) {
      devices.back().mig = true;
      devices.back().mig_devices.fill().push_back(
          {.index = leading_number(b).value_or(0), .name = "MIG " + a, .uuid = c});
    }
  });
  Snapshot snapshot;
  if (!devices.empty()) snapshot.nvidia.fill().devices = std::move(devices);
  return snapshot;
}

}  // namespace envdoctor
