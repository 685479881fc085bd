#include "knowledge/gpus/gpu_models.h"

#include <map>
#include <set>

#include "knowledge/gpus/drivers.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Chip {
  std::string architecture{};
  std::string compute_capability{};
  std::string gfx{};
};

struct Device {
  std::string name{};
  std::string chip{};
  std::string architecture{};  // Intel rows carry it themselves
};

struct Tables {
  std::map<std::string, Chip, std::less<>> chips{};
  std::map<std::string, Device, std::less<>> devices{};                         // "10de:2330"
  std::map<std::string, std::set<std::string>, std::less<>> chips_by_prefix{};  // of the NVIDIA device id, "2b8"
  std::map<std::string, std::string, std::less<>> facts{};  // the compute capability since which each holds
  std::set<std::string, std::less<>> disputed{};  // ids whose chip and listed capability contradict each other
};

const Tables& tables() {
  static const Tables all = [] {
    Tables t;
    const auto device = [&t](const Row& row) {
      t.devices[row.text("id")] = {.name = row.text_if("name"), .chip = row.text("chip")};
    };
    read_table(
        "gpu_arch",
        {{"capability_facts", [&t](const Row& row) { t.facts[row.text("fact")] = row.text("since"); }},
         {"nvidia_codenames",
          [&t](const Row& row) {
            t.chips[row.text("codename")] = {.architecture = row.text("architecture"),
                                             .compute_capability = row.text_if("compute_capability")};
          }},
         {"amd_codenames",
          [&t](const Row& row) {
            t.chips[row.text("codename")] = {.architecture = row.text("architecture"), .gfx = row.text_if("gfx")};
          }},
         {"nvidia_id_prefixes",
          [&t](const Row& row) {
            for (const std::string& prefix : row.texts("id_prefixes")) {
              t.chips_by_prefix[prefix].insert(row.text("chip"));
            }
          }},
         {"nvidia_notes",
          [&t](const Row& row) {
            if (!row.flag_if("capability_disputed")) return;
            for (std::string& id : row.texts("ids")) t.disputed.insert(std::move(id));
          }},
         {"nvidia_devices", device},
         {"amd_devices", device},
         {"intel_devices", [&t](const Row& row) {
            t.devices[row.text("id")] = {
                .name = row.text_if("name"), .chip = row.text("platform"), .architecture = row.text("architecture")};
          }}});
    return t;
  }();
  return all;
}

GpuModel model_of(const Device& device) {
  GpuModel model{.name = device.name, .chip = device.chip, .architecture = device.architecture};
  if (const auto chip = tables().chips.find(device.chip); chip != tables().chips.end()) {
    model.architecture = chip->second.architecture;
    model.compute_capability = chip->second.compute_capability;
    model.gfx = chip->second.gfx;
  }
  // "Aqua Vanjaram (ids 74xx)": the bracket tells two generations of one code name apart in the table only.
  if (const auto bracket = model.chip.find(" (ids "); bracket != std::string::npos) model.chip.resize(bracket);
  return model;
}

// What all chips that own this prefix have in common.
std::optional<GpuModel> guess(std::string_view device) {
  const auto found = tables().chips_by_prefix.find(device.substr(0, 3));
  if (found == tables().chips_by_prefix.end()) return std::nullopt;
  std::optional<GpuModel> common;
  for (const std::string& name : found->second) {
    GpuModel model = model_of({.chip = name});
    model.guessed = true;
    if (!common) {
      common = std::move(model);
      continue;
    }
    common->chip.clear();
    if (common->architecture != model.architecture) common->architecture.clear();
    if (common->compute_capability != model.compute_capability) common->compute_capability.clear();
  }
  return common;
}

}  // namespace

std::optional<GpuModel> gpu_model(std::string_view vendor, std::string_view device) {
  const std::string id = std::string(vendor) + ":" + std::string(device);
  const auto row = tables().devices.find(id);
  if (row == tables().devices.end()) return vendor == "10de" ? guess(device) : std::nullopt;
  GpuModel model = model_of(row->second);
  if (tables().disputed.contains(id)) model.compute_capability.clear();
  return model;
}

std::string architecture_of_capability(std::string_view compute_capability) {
  if (compute_capability.empty()) return {};
  for (const auto& [name, chip] : tables().chips) {
    if (chip.compute_capability == compute_capability) return chip.architecture;
  }
  return {};
}

bool capability_has(std::string_view compute_capability, std::string_view fact) {
  const auto row = tables().facts.find(fact);
  return row != tables().facts.end() && compare_versions(compute_capability, row->second) >= 0;
}

}  // namespace envdoctor::knowledge
