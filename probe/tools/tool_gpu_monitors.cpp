// gpustat, nvitop, and plain lists of processes with their GPU memory: which process holds how much memory on which
// card.
#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_gpus = 1024, most_processes = 4096, longest_row = 1000;

// "1.2", "GiB" -> MiB.
std::int64_t mib_of(const std::string& number, std::string_view unit) {
  const double amount = number_of<double>(number).value_or(0);
  if (amount < 0 || amount > 1e9) return 0;
  return static_cast<std::int64_t>(unit.starts_with('G')   ? amount * 1024
                                   : unit.starts_with('K') ? amount / 1024
                                                           : amount);
}

NvidiaDevice& device_in(std::vector<NvidiaDevice>& devices, std::int64_t index) {
  const auto known = std::ranges::find_if(devices, [&](const NvidiaDevice& one) { return one.index.is(index); });
  return known != devices.end() ? *known : devices.emplace_back(NvidiaDevice{.index = index});
}

void add_memory(NvidiaDevice& device, std::int64_t used, std::int64_t total) {
  if (total <= 0 || used > total || device.memory_total_mib.get()) return;
  device.memory_total_mib = total;
  device.memory_free_mib = total - used;
}

// "[0] NVIDIA A40 | 52'C,  97 % | 10151 / 46068 MB | kim(812M) pat:python/4711(9000M)"
bool gpustat_row(std::string_view line, Nvidia& nvidia) {
  static const LazyRegex row(R"(\s*\[(\d{1,3})\] ([^|]{2,80}?)\s*\|\s*(\d+)\D{1,4}C,\s*(\d+|\?+) %[^|]*\|\s*)"
                             R"((\d+) / +(\d+) MB ?(?:\|(.*))?)",
                             RE2::Latin1);
  static const LazyRegex process(R"((?:[:/](\w[\w.-]*))?(?:/(\d+))?\((\d+)M\))", RE2::Latin1);
  std::string index, name, degrees, share, used, total;
  re2::StringPiece rest;
  if (!RE2::FullMatch(piece_of(line), row, &index, &name, &degrees, &share, &used, &total, &rest)) return false;
  const std::int64_t gpu = number_of(index).value_or(0);
  auto& devices = nvidia.devices.fill();
  if (devices.size() >= most_gpus) return true;
  NvidiaDevice& device = device_in(devices, gpu);
  device.name = std::string(trimmed(name));
  if (const auto read = number_of(degrees)) device.temperature_c = *read;
  if (const auto read = number_of(share)) device.utilization_percent = *read;
  add_memory(device, number_of(used).value_or(0), number_of(total).value_or(0));
  auto& processes = nvidia.processes.fill();
  std::string command, pid, memory;
  while (processes.size() < most_processes && RE2::FindAndConsume(&rest, process, &command, &pid, &memory)) {
    NvidiaProcess one{.gpu = gpu, .memory_mib = number_of(memory).value_or(0)};
    if (!command.empty()) one.name = command;
    if (const auto number = number_of(pid)) one.pid = *number;
    processes.push_back(std::move(one));
  }
  return true;
}

// nvitop draws its tables with the lines of box drawing.
std::string with_plain_bars(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size();) {
    const bool box = at + 2 < line.size() && line[at] == '\xe2' && (line[at + 1] == '\x94' || line[at + 1] == '\x95');
    plain += box ? '|' : line[at];
    at += box ? 3 : 1;
  }
  return plain;
}

class Nvitop {
 public:
  void line(std::string_view raw, Nvidia& nvidia) {
    static const LazyRegex header(R"(.*NVITOP [\d.]+\S* +Driver Version: ([\d.]+) +CUDA Driver Version: ([\d.]+).*)",
                                  RE2::Latin1);
    static const LazyRegex first(R"(\| +(\d+) +(\S[^|]*?) +(?:On|Off|N/A) *\| +([0-9A-Fa-f:.]{7,16}) [^|]*\|.*)",
                                 RE2::Latin1);
    static const LazyRegex memory(R"(\|[^|]*\| +([\d.]+)([GMK]iB) / +([\d.]+)([GMK]iB) +\| +(\d+)%?.*)", RE2::Latin1);
    static const LazyRegex process(R"(\| +(\d+) +(\d+) +[CGM+]{1,3} +\S+ +([\d.]+)([GMK]iB) +.*?(\S+) *\|)",
                                   RE2::Latin1);
    if (!contains(raw, "\xe2\x94\x82") && !contains(raw, "\xe2\x95")) return;
    const std::string text = with_plain_bars(raw);
    const std::string_view line = trimmed(text);
    std::string a, b, c, d, e;
    if (RE2::FullMatch(piece_of(line), header, &a, &b)) {
      seen_ = true;
      nvidia.kernel_driver_version = a;
      nvidia.cuda_driver_version = b;
    } else if (!seen_) {
      return;
    } else if (contains(line, "Processes:")) {
      nvidia.processes.fill();
    } else if (nvidia.processes.get()) {
      auto& processes = nvidia.processes.fill();
      if (processes.size() < most_processes && RE2::FullMatch(piece_of(line), process, &a, &b, &c, &d, &e))
        processes.push_back({.pid = number_of(b).value_or(0),
                             .name = std::string(base_name(e)),
                             .gpu = number_of(a).value_or(0),
                             .memory_mib = mib_of(c, d)});
    } else if (RE2::FullMatch(piece_of(line), first, &a, &b, &c)) {
      auto& devices = nvidia.devices.fill();
      if (devices.size() >= most_gpus) return;
      NvidiaDevice& device = device_in(devices, number_of(a).value_or(0));
      device.name = std::string(trimmed(b));
      device.pci_address = c;
      last_ = device.index.or_empty();
    } else if (nvidia.devices.get() && RE2::FullMatch(piece_of(line), memory, &a, &b, &c, &d, &e)) {
      NvidiaDevice& device = device_in(nvidia.devices.fill(), last_);
      add_memory(device, mib_of(a, b), mib_of(c, d));
      if (const auto share = number_of(e)) device.utilization_percent = *share;
    }
  }

 private:
  bool seen_ = false;
  std::int64_t last_ = 0;
};

bool process_list_header(std::string_view line) {
  static const LazyRegex form(R"((?i)\W*(?:gpu +)?pid\b[^\n]{0,60}\bmem(?:ory)?\b[^\n]{0,40})", RE2::Latin1);
  return line.size() < 200 && !contains(line, ",") && RE2::FullMatch(piece_of(line), form);
}

// "4711 python 5144MiB" below "PID … GPU Memory".
class ProcessList {
 public:
  void line(std::string_view line, Nvidia& nvidia) {
    static const LazyRegex row(R"(\W*(\d{2,8})\b(?:.*?[\s|])?(\d+(?:\.\d+)?) ?([GMK])i?B\W*)", RE2::Latin1);
    if (process_list_header(line)) {
      inside_ = true;
      return;
    }
    std::string pid, memory, unit;
    if (!inside_ || trimmed(line).empty()) return;
    inside_ = RE2::FullMatch(piece_of(line), row, &pid, &memory, &unit);
    auto& processes = nvidia.processes.fill();
    if (inside_ && processes.size() < most_processes)
      processes.push_back({.pid = number_of(pid).value_or(0), .memory_mib = mib_of(memory, unit)});
  }

 private:
  bool inside_ = false;
};

// The results of `read` for the lines of a text that are no longer than a row of such a table.
template <typename Read>
Nvidia read_rows(const std::string& text, Read read) {
  Nvidia nvidia;
  for (const std::string_view line : lines_of(text)) {
    if (line.size() < longest_row) read(line, nvidia);
  }
  return nvidia;
}

Snapshot with(Nvidia nvidia) {
  Snapshot snapshot;
  if (nvidia.devices.get() || !nvidia.processes.or_empty().empty()) snapshot.nvidia = std::move(nvidia);
  return snapshot;
}

}  // namespace

bool starts_gpustat(std::string_view line) {
  Nvidia nvidia;
  return line.size() < longest_row && contains(line, " MB") && gpustat_row(line, nvidia);
}

Snapshot parse_gpustat(const std::string& text) {
  return with(read_rows(text, [](std::string_view line, Nvidia& nvidia) {
    if (contains(line, " MB")) gpustat_row(line, nvidia);
  }));
}

bool starts_nvitop(std::string_view line) { return contains(line, "NVITOP ") && contains(line, "Driver Version: "); }

Snapshot parse_nvitop(const std::string& text) {
  Nvitop reader;
  return with(read_rows(text, [&](std::string_view line, Nvidia& nvidia) { reader.line(line, nvidia); }));
}

bool starts_process_list(std::string_view line) { return process_list_header(line); }

Snapshot parse_process_list(const std::string& text) {
  ProcessList reader;
  return with(read_rows(text, [&](std::string_view line, Nvidia& nvidia) { reader.line(line, nvidia); }));
}

// nvidia-smi dmon: how busy each GPU was on average, and the share of time for which power or heat held its clocks
// down.

bool starts_dmon(std::string_view line) {
  return line.starts_with("# gpu ") && (contains(line, " pviol") || contains(line, " sm "));
}

Snapshot parse_dmon(const std::string& text) {
  constexpr std::int64_t most_of_the_time = 50;  // of hundred
  constexpr std::int64_t fewest = 4;             // samples
  constexpr std::int64_t idle_percent = 5, peak_percent = 70, fewest_of_bursts = 8;
  struct Busy {
    std::int64_t sum = 0, samples = 0, idle = 0, peaks = 0;
  };
  Snapshot snapshot;
  std::map<std::int64_t, Busy> busy;
  std::vector<std::string_view> head;
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    const std::vector<std::string_view> cells = words_of(line.substr(0, longest_row));
    if (starts_dmon(line)) head.assign(cells.begin() + 1, cells.end());  // without the sign, which rows have not
    if (line.starts_with('#') || cells.empty() || cells.size() != head.size()) continue;
    const auto cell = [&](std::string_view name) -> std::optional<std::int64_t> {
      const auto column = static_cast<std::size_t>(std::ranges::find(head, name) - head.begin());
      return column < cells.size() ? number_of(cells[column]) : std::nullopt;
    };
    const auto gpu = cell("gpu"), share = cell("sm");
    if (!gpu) continue;
    if (share && *share >= 0 && *share <= 100 && (busy.contains(*gpu) || busy.size() < most_gpus)) {
      busy[*gpu].sum += *share;
      ++busy[*gpu].samples;
      busy[*gpu].idle += *share <= idle_percent;
      busy[*gpu].peaks += *share >= peak_percent;
    }
    if (!snapshot.log.get() && cell("pviol").value_or(0) >= most_of_the_time)
      add_symptom(snapshot, {SymptomClass::limited, "gpu-clock"}, at, line);
  }
  for (const auto& [gpu, one] : busy) {
    if (one.samples >= fewest)
      device_in(snapshot.nvidia.fill().devices.fill(), gpu).utilization_percent = one.sum / one.samples;
    // Short work and longer pauses, again and again: something feeds this GPU too slowly.
    if (one.samples >= fewest_of_bursts && one.idle * 2 >= one.samples && one.peaks >= 2)
      add_symptom(snapshot, {SymptomClass::noted, "gpu-bursts"}, 0, lines_of(text).front());
  }
  return snapshot;
}

}  // namespace envdoctor
