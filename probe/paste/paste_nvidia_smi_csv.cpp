// nvidia-smi --query-gpu and --query-compute-apps with --format=csv: a header of names, then a row per GPU or process.
#include <algorithm>

#include "probe/paste/nvidia_fields.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/transcript/transcript.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_columns = 256, most_rows = 1024;

std::vector<std::string_view> cells(std::string_view line) {
  auto result = pieces(line, ',');
  for (std::string_view& cell : result) cell = trimmed(cell);
  return result;
}

// A name of nvidia-smi's properties: small letters, digits, dots and underscores, optionally followed by a unit.
bool is_property(std::string_view cell) {
  const std::string_view name = trimmed(cell.substr(0, cell.find('[')));
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") == std::string_view::npos;
}

bool known_column(std::string_view cell) {
  for (const char* start : {"name",
                            "index",
                            "uuid",
                            "driver_version",
                            "memory.",
                            "utilization.",
                            "temperature.",
                            "pci.",
                            "compute_",
                            "gpu_name",
                            "gpu_uuid",
                            "gpu_bus_id",
                            "pid",
                            "process_name",
                            "used_gpu_memory",
                            "used_memory",
                            "power.",
                            "pcie.",
                            "timestamp",
                            "clocks.",
                            "ecc.",
                            "mig.",
                            "persistence_mode",
                            "retired_pages",
                            "remapped_rows",
                            "fabric.",
                            "pstate"})
    if (cell.starts_with(start)) return true;
  return false;
}

bool is_csv_header(std::string_view line) {
  if (line.empty() || line[0] < 'a' || line[0] > 'z' || line.size() > 8192) return false;
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos || !known_column(line.substr(0, comma))) return false;
  const auto header = cells(line);
  return header.size() >= 2 && header.size() <= most_columns && std::ranges::all_of(header, is_property) &&
         std::ranges::count_if(header, known_column) * 2 >= static_cast<std::ptrdiff_t>(header.size());
}

// "--query-gpu=name,index --format=csv,noheader": the columns of rows without a header; empty: not such a command.
std::string_view named_columns(std::string_view line) {
  for (const std::string_view option : {"--query-gpu=", "--query-compute-apps="}) {
    const std::size_t at = line.find(option);
    if (at == std::string_view::npos || !contains(line, "noheader")) continue;
    const std::string_view rest = line.substr(at + option.size());
    return rest.substr(0, rest.find_first_of(" \t\"'"));
  }
  return {};
}

class CsvReader {
 public:
  void line(std::string_view line) {
    const std::string_view named = named_columns(line);
    if (!named.empty() || is_csv_header(line)) {
      columns_ = cells(named.empty() ? line : named);
      const auto has = [&](std::string_view name) {
        return std::ranges::any_of(columns_, [&](std::string_view cell) { return cell.starts_with(name); });
      };
      apps_ = has("pid") || has("process_name");
      next_ = 0;
      if (apps_) nvidia_.processes.fill();
      return;
    }
    if (columns_.empty()) return;
    const auto row = cells(line);
    if (row.size() != columns_.size() || shell_prompt(line) > 0) return columns_.clear();
    apps_ ? process(row) : gpu(row);
  }

  Snapshot take() {
    Snapshot snapshot;
    if (nvidia_.devices.get() || nvidia_.processes.get() || nvidia_.kernel_driver_version.get())
      snapshot.nvidia = std::move(nvidia_);
    return snapshot;
  }

 private:
  void gpu(const std::vector<std::string_view>& row) {
    NvidiaDevice device{.index = next_++};
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns_[i] == "driver_version" && contains(leading_version(row[i]), "."))
        nvidia_.kernel_driver_version = std::string(row[i]);
      take_csv_field(device, columns_[i], row[i]);
    }
    auto& devices = nvidia_.devices.fill();
    const auto known =
        std::ranges::find_if(devices, [&](const NvidiaDevice& one) { return one.index == device.index; });
    if (known == devices.end() && devices.size() < most_rows) devices.push_back(std::move(device));
  }

  void process(const std::vector<std::string_view>& row) {
    NvidiaProcess process;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string_view column = trimmed(columns_[i].substr(0, columns_[i].find('[')));
      if (column == "pid") take_process_field(process, "/pid", row[i]);
      if (column == "process_name" || column == "name") take_process_field(process, "/process_name", row[i]);
      if (column == "used_gpu_memory" || column == "used_memory") take_process_field(process, "/used_memory", row[i]);
    }
    auto& processes = nvidia_.processes.fill();
    if (process.pid.get() && processes.size() < most_rows) processes.push_back(std::move(process));
  }

  std::vector<std::string_view> columns_{};
  Nvidia nvidia_{};
  std::int64_t next_ = 0;
  bool apps_ = false;
};

}  // namespace

bool starts_nvidia_smi_csv(std::string_view line) { return is_csv_header(line) || !named_columns(line).empty(); }

Snapshot parse_nvidia_smi_csv(const std::string& text) {
  CsvReader reader;
  for (const std::string_view line : lines_of(text)) reader.line(trimmed(line));
  return reader.take();
}

}  // namespace envdoctor
