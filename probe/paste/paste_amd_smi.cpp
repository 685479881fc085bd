// amd-smi: its table, the blocks of its list, static and metric as text, and those with --json.
#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "evidence/json.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_amd_gpus = 1024;

// A field by its name, and for names that occur in several sections by the section.
void amd_field(Rocm& rocm, RocmDevice& device, std::string_view section, std::string_view key, std::string_view value) {
  if (value.empty() || value == "N/A") return;
  const auto text = [&] { return std::string(value.substr(0, 200)); };
  if (key == "bdf") {
    device.pci_address = text();
  } else if (key == "market_name") {
    device.name = text();
  } else if (key == "target_graphics_version" && value.starts_with("gfx")) {
    device.gfx = text();
  } else if (section == "vram" && (key == "size" || key == "value") && leading_number(value)) {
    device.memory_total_mib = *leading_number(value);
  } else if (section == "driver" && key == "version" && contains(leading_version(value), ".")) {
    rocm.kernel_driver_version = leading_version(value);
  }
}

// Reads the versions from the first line, "AMDSMI Tool: … | ROCm version: 6.2.2".
void amd_versions(Rocm& rocm, std::string_view line) {
  static const LazyRegex version(R"(ROCm version: +(\d+\.\d[.\d]*))", RE2::Latin1);
  static const LazyRegex driver(R"(amdgpu version: +(\d+\.\d[.\d]*))", RE2::Latin1);
  std::string number;
  if (RE2::PartialMatch(line, version, &number)) rocm.version = number;
  if (RE2::PartialMatch(line, driver, &number)) rocm.kernel_driver_version = number;
}

Snapshot amd_snapshot(Rocm rocm) {
  Snapshot snapshot;
  // A bare number may come from another program.
  if (auto* devices = rocm.devices.get()) {
    std::erase_if(*devices, [](const RocmDevice& d) { return !d.pci_address.get() && !d.name.get() && !d.gfx.get(); });
    if (devices->empty()) rocm.devices = {};
  }
  if (rocm.devices.get() || rocm.version.get() || rocm.kernel_driver_version.get()) snapshot.rocm = std::move(rocm);
  return snapshot;
}

}  // namespace

bool starts_amd_smi(std::string_view line) {
  return contains(line, "AMD-SMI ") || contains(line, "AMDSMI Tool:") || trimmed(line) == "GPU: 0";
}

Snapshot parse_amd_smi(const std::string& text) {
  // "| 0000:0c:00.0    AMD Instinct MI300X | 0 %      40 °C …", and the row below it, which has the GPU's number.
  static const LazyRegex row(R"(\| ([[:xdigit:]]{4}:[[:xdigit:]]{2}:[[:xdigit:]]{2}\.\d) +(\S[^|]*?) *\|.*)",
                             RE2::Latin1);
  Rocm rocm;
  std::string section;
  bool blocks = false;
  for (const std::string_view line : lines_of(text)) {
    std::string address, name;
    if (contains(line, "ROCm version:")) {
      amd_versions(rocm, line);
    } else if (line.starts_with("| ") && RE2::FullMatch(line, row, &address, &name)) {
      auto& devices = rocm.devices.fill();
      if (devices.size() >= most_amd_gpus) continue;
      if (std::ranges::any_of(devices, [&](const RocmDevice& known) { return known.pci_address.is(address); }))
        continue;
      devices.push_back({.index = static_cast<std::int64_t>(devices.size()), .name = name, .pci_address = address});
    } else if (const auto index = line.starts_with("GPU: ") ? number_of(line.substr(5)) : std::nullopt) {
      auto& devices = rocm.devices.fill();
      blocks = *index == static_cast<std::int64_t>(devices.size());  // a second list repeats the first one's numbers
      blocks = blocks && devices.size() < most_amd_gpus;
      if (blocks) devices.push_back({.index = *index});
    } else if (blocks && line.starts_with(' ')) {
      const auto [key, value] = key_value(line);
      if (key.empty()) continue;
      if (value.empty()) section = lower_case(key);
      amd_field(rocm, rocm.devices.get()->back(), section, lower_case(key), value);
    }
  }
  return amd_snapshot(std::move(rocm));
}

bool starts_amd_smi_json(std::string_view line) {
  const std::size_t at = line.find("\"gpu\":");
  return at != std::string_view::npos && leading_number(line.substr(at + 6)) == 0;
}

Snapshot parse_amd_smi_json(const std::string& text) {
  static const LazyRegex place(R"((?:/gpu_data)?/(\d{1,4})/(?:(\w+)/)?(?:size/)?(\w+))", RE2::Latin1);
  const std::size_t first = text.find("\"gpu\":");
  if (first == std::string::npos) return {};
  // The list that holds the first GPU, and the object around it in newer releases.
  std::size_t start = text.rfind('[', first);
  if (start == std::string::npos) return {};
  const std::string_view data_key = "\"gpu_data\":";
  if (const std::size_t data = text.rfind(data_key, start);
      data != std::string::npos && trimmed(text.substr(data, start - data)) == data_key)
    start = text.rfind('{', data);
  if (start == std::string::npos) return {};
  const auto values = json_values(std::string_view(text).substr(start));
  std::map<std::int64_t, RocmDevice> gpus;
  Rocm rocm;
  for (const auto& [pointer, value] : values) {
    std::int64_t index = 0;
    std::string section, key;
    if (!RE2::FullMatch(pointer, place, &index, &section, &key) || index >= static_cast<std::int64_t>(most_amd_gpus))
      continue;
    const bool is_gpu =
        values.contains(pointer.substr(0, pointer.find('/', pointer.find_first_of("0123456789"))) + "/gpu");
    if (is_gpu) amd_field(rocm, gpus.try_emplace(index, RocmDevice{.index = index}).first->second, section, key, value);
  }
  for (auto& [index, device] : gpus) rocm.devices.fill().push_back(std::move(device));
  return amd_snapshot(std::move(rocm));
}

}  // namespace envdoctor
