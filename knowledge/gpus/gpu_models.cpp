#include "knowledge/gpus/gpu_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "knowledge/embedded_tables.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/gpus/gpu_devices_index.h"
#include "knowledge/lower_case.h"
#include "knowledge/sorted_lines.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Device {
  std::string_view id{}, chip{}, architecture{}, name{}, disputed{};
};

Device device_of(std::string_view line) {
  const auto next = [&line] { return next_field(line); };
  return {.id = next(), .chip = next(), .architecture = next(), .name = next(), .disputed = next()};
}

// The index of devices: that of the build, unless another table replaces ours.
std::string_view device_lines() {
  static const std::string made = table_is_replaced("gpu_arch") ? gpu_devices_index() : std::string();
  return made.empty() ? bytes_of(embedded_index, "gpu_devices") : std::string_view(made);
}

// The fields of the line with this id, which comes first; empty: there is none.
std::string_view fields_of(std::string_view kind, std::string_view name) {
  std::string_view line = line_of(device_lines(), fmt::format("{}{}", kind, name));
  next_field(line);
  return line;
}

GpuModel model_of(const Device& device) {
  GpuModel model{.name = std::string(device.name),
                 .chip = std::string(device.chip),
                 .architecture = std::string(device.architecture)};
  if (std::string_view chip = fields_of("chip:", device.chip); !chip.empty()) {
    model.architecture = next_field(chip);
    model.compute_capability = next_field(chip);
    model.gfx = next_field(chip);
  }
  // "Aqua Vanjaram (ids 74xx)": only the table needs the bracket, to distinguish two generations with one code name.
  if (const auto bracket = model.chip.find(" (ids "); bracket != std::string::npos) model.chip.resize(bracket);
  return model;
}

struct ChipsByPrefix {
  ByName<std::set<std::string>> chips{};  // by prefix of the NVIDIA device id, "2b8"

  ChipsByPrefix() {
    const Table table("gpu_arch");
    for (const Row& row : table["nvidia_id_prefixes"]) {
      for (const std::string& prefix : row.texts("id_prefixes")) chips[prefix].insert(row.text("chip"));
    }
  }
};

// The common facts of all chips with this prefix.
std::optional<GpuModel> guess(std::string_view device) {
  const auto* found = find_in(read_once<ChipsByPrefix>().chips, device.substr(0, 3));
  if (!found) return std::nullopt;
  std::optional<GpuModel> common;
  for (const std::string& name : *found) {
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

// The words that identify a model: "NVIDIA GeForce RTX 3080 Ti Laptop GPU" -> "rtx 3080 ti". Words of the maker, of
// the form factor and of the memory are left out.
std::string model_words(std::string_view name) {
  static const std::set<std::string, std::less<>> idle = {
      "nvidia", "corporation", "geforce", "tesla", "quadro",     "graphics", "card", "gpu",
      "laptop", "mobile",      "max",     "q",     "pcie",       "sxm",      "nvl",  "hgx",
      "dgx",    "refresh",     "rev",     "oem",   "generation", "edition"};
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const std::string small = lower_case(name.substr(0, 120));
  std::string words;
  for (std::size_t at = 0; at < small.size();) {
    std::size_t end = at;
    while (end < small.size() && plain(small[end])) ++end;
    const std::string word = small.substr(at, end - at);
    at = std::max(end, at + 1);
    const bool form = word.ends_with("gb") || word.starts_with("sxm") || word.starts_with("hbm") || idle.contains(word);
    if (word.empty() || (form && !word.starts_with("gb"))) continue;
    words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

// Model words -> the compute capabilities of the GPUs with that name.
struct NamedGpus {
  ByName<std::set<std::string>> capabilities{};

  NamedGpus() {
    std::string_view lines = lines_from(device_lines(), "10de:");
    for (; lines.starts_with("10de:"); lines.remove_prefix(lines.find('\n') + 1)) {
      const Device device = device_of(lines);
      if (!device.disputed.empty()) continue;
      std::string_view names = device.name;
      if (const auto bracket = names.find('['); bracket != names.npos) names.remove_prefix(bracket);
      for (bool more = true; more;) {
        const std::size_t end = names.find(" / ");
        const std::string words = model_words(names.substr(0, end));
        if (words.find_first_of("0123456789") != words.npos || words.starts_with("titan"))
          capabilities[words].insert(model_of(device).compute_capability);
        more = end != names.npos;
        if (more) names.remove_prefix(end + 3);
      }
    }
  }
};

}  // namespace

std::string capability_of_name(std::string_view name) {
  const std::string words = model_words(name);
  if (words.find_first_of("0123456789") == words.npos && !words.starts_with("titan")) return {};
  const auto& all = read_once<NamedGpus>().capabilities;
  const bool cut = name.ends_with("...");
  std::set<std::string> found;
  const auto take = [&](const std::string& key) {
    for (auto row = all.lower_bound(key); row != all.end() && row->first.starts_with(key); ++row) {
      if (row->first != key && !cut) break;
      found.insert(row->second.begin(), row->second.end());
    }
  };
  take(words);
  // "3090", as people often call them.
  for (const char* line : {"rtx ", "gtx "}) {
    if (found.empty() && words[0] >= '1' && words[0] <= '9' && words.size() >= 4) take(line + words);
  }
  return found.size() == 1 ? *found.begin() : std::string();
}

std::optional<GpuModel> gpu_model_of_chip(std::string_view name) {
  for (const std::string_view maker : {"NVIDIA ", "Corporation "}) {
    if (name.starts_with(maker)) name.remove_prefix(maker.size());
  }
  const std::string_view chip = name.substr(0, name.find(' '));
  if (fields_of("chip:", chip).empty()) return std::nullopt;
  return model_of({.chip = chip});
}

std::optional<GpuModel> gpu_model(std::string_view vendor, std::string_view device) {
  const std::string_view line = line_of(device_lines(), fmt::format("{}:{}", vendor, device));
  if (line.empty()) return vendor == "10de" ? guess(device) : std::nullopt;
  const Device found = device_of(line);
  GpuModel model = model_of(found);
  if (!found.disputed.empty()) model.compute_capability.clear();
  return model;
}

std::string architecture_of_capability(std::string_view compute_capability) {
  std::string_view line = fields_of("capability:", compute_capability);
  return std::string(next_field(line));
}

bool capability_has(std::string_view compute_capability, std::string_view fact) {
  std::string_view line = fields_of("fact:", fact);
  return !line.empty() && compare_versions(compute_capability, next_field(line)) >= 0;
}

}  // namespace envdoctor::knowledge
