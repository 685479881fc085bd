// rocm-smi, as text and with --json.
#include <re2/re2.h>

#include <map>

#include "evidence/json.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

constexpr std::int64_t most_gpus = 1024;

// The GPUs by their number, filled field by field from rocm-smi's names.
class RocmSmi {
 public:
  void gpu(std::int64_t index) {
    if (index >= 0 && index < most_gpus) gpus_.try_emplace(index, RocmDevice{.index = index});
  }

  void field(std::int64_t index, std::string_view key, std::string_view value) {
    gpu(index);
    const auto found = gpus_.find(index);
    const std::string name = lower_case(key);
    if (found == gpus_.end() || value.empty() || value == "N/A") return;
    RocmDevice& device = found->second;
    if ((name == "card series" || name == "device name") && !value.starts_with("0x"))
      device.name = std::string(value.substr(0, 200));
    else if (name == "gfx version" && value.starts_with("gfx"))
      device.gfx = std::string(value.substr(0, 40));
    else if (name == "pci bus")
      device.pci_address = std::string(value.substr(0, 40));
    else if (const auto bytes = number_of(value); name == "vram total memory (b)" && bytes)
      device.memory_total_mib = *bytes >> 20;
  }

  void driver(std::string_view version) {
    if (const auto number = leading_version(version); contains(number, ".")) version_ = number;
  }

  Snapshot take() {
    Snapshot snapshot;
    if (version_.get()) snapshot.rocm.fill().kernel_driver_version = version_;
    for (auto& [index, device] : gpus_) snapshot.rocm.fill().devices.fill().push_back(std::move(device));
    return snapshot;
  }

 private:
  std::map<std::int64_t, RocmDevice> gpus_{};
  Text version_{};
};

}  // namespace

bool starts_rocm_smi(std::string_view line) {
  return contains(line, "ROCm System Management Interface") || line.starts_with("GPU[0]\t");
}

Snapshot parse_rocm_smi(const std::string& text) {
  static const LazyRegex field(R"(GPU\[(\d{1,4})\]\s*: ([^:]+): \s*(.*?)\s*)", RE2::Latin1);
  // "0    35.0c  25.0W  …  0%", "0       [0x74a1 : 0x00]  …", "0  1  0x744c,  62223  45.0°C  …" of the short table.
  static const LazyRegex row(R"((\d{1,4})\s+(?:\[0x|\d+\s+(?:\[?0x|\d)|\d+\.\d+c|N/A).*%.*)", RE2::Latin1);
  RocmSmi smi;
  bool table = false;
  for (const std::string_view line : lines_of(text)) {
    std::int64_t index = 0;
    std::string key, value;
    if (contains(line, "Concise Info")) table = true;
    if (contains(line, "End of ROCm SMI Log")) table = false;
    if (line.starts_with("GPU[")) {
      if (RE2::FullMatch(line, field, &index, &key, &value)) smi.field(index, key, value);
    } else if (table && contains(line, "%")) {
      if (RE2::FullMatch(trimmed(line), row, &index)) smi.gpu(index);
    } else if (const auto version = after(line, "Driver version:")) {
      smi.driver(*version);
    }
  }
  return smi.take();
}

bool starts_rocm_smi_json(std::string_view line) { return contains(line, "\"card0\":"); }

Snapshot parse_rocm_smi_json(const std::string& text) {
  static const LazyRegex place(R"(/card(\d{1,4})/([^/]+))", RE2::Latin1);
  const std::size_t card = text.find("\"card0\":");
  const std::size_t start = card == std::string::npos ? card : text.rfind('{', card);
  if (start == std::string::npos) return {};
  RocmSmi smi;
  for (const auto& [pointer, value] : json_values(std::string_view(text).substr(start))) {
    std::int64_t index = 0;
    std::string key;
    if (RE2::FullMatch(pointer, place, &index, &key)) smi.field(index, key, value);
    if (pointer == "/system/Driver version") smi.driver(value);
  }
  return smi.take();
}

}  // namespace envdoctor
