// kubectl describe of a node or a pod: what the node offers, what the pod may use and how it ended.
#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

// "1500m" -> 1.5 processors.
std::optional<double> processors(std::string_view text) {
  const bool thousandths = text.ends_with("m");
  if (thousandths) text.remove_suffix(1);
  const auto number = number_of<double>(text);
  return number && *number >= 0 && *number < 1e6 ? std::optional(thousandths ? *number / 1000 : *number) : std::nullopt;
}

// "2Gi", "65536Ki", "500M" -> MiB.
std::optional<std::int64_t> memory_mib(std::string_view text) {
  const auto number = leading_number(text);
  if (!number || *number < 0 || *number > (std::int64_t{1} << 40)) return std::nullopt;
  const std::string_view unit = text.substr(std::min(text.find_first_not_of("0123456789"), text.size()));
  if (unit == "Ki") return *number >> 10;
  if (unit == "Mi" || unit == "M") return *number;
  if (unit == "Gi" || unit == "G") return *number << 10;
  if (unit == "Ti") return *number << 20;
  return unit.empty() ? std::optional(*number >> 20) : std::nullopt;
}

bool gpu_resource(std::string_view key) {
  return key.ends_with("nvidia.com/gpu") || key.ends_with("amd.com/gpu") || key.ends_with("gpu.intel.com/i915") ||
         key.ends_with("gpu.intel.com/xe") || key.starts_with("nvidia.com/mig-");
}

}  // namespace

bool starts_kubernetes(std::string_view line) {
  const std::string_view words = trimmed(line);
  return words == "Capacity:" || words == "Allocatable:" || words == "Limits:" || words.starts_with("Namespace: ") ||
         (words.starts_with("Name: ") && !contains(words, "="));
}

Snapshot parse_kubernetes(const std::string& text) {
  using enum SymptomClass;
  Snapshot snapshot;
  std::string_view section, offer_line;
  std::size_t row = 0, offer_row = 0;
  std::map<std::string_view, std::map<std::string, std::string, std::less<>>> sections;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    const std::string_view words = trimmed(line.substr(0, 500));
    for (const std::string_view title : {"Capacity:", "Allocatable:", "Limits:", "Requests:"}) {
      if (words != title) continue;
      section = title;
      sections[section];
      if (section == "Allocatable:") offer_line = line, offer_row = at;
    }
    if (words.ends_with(":") || section.empty()) continue;
    const auto [key, value] = key_value(words);
    const bool resource = key == "cpu" || key == "memory" || key == "pods" || key.find('/') != key.npos ||
                          key.starts_with("hugepages") || key.starts_with("ephemeral");
    if (!resource) {
      section = {};
      continue;
    }
    if (sections[section].size() < 64) sections[section].emplace(key, value);
  }
  if (const auto limits = sections.find("Limits:"); limits != sections.end()) {
    Cgroup cgroup;
    bool gpu = false;
    for (const auto& [key, value] : limits->second) {
      gpu = gpu || gpu_resource(key);
      if (const auto cpus = processors(value); key == "cpu" && cpus) cgroup.cpus = *cpus;
      if (const auto memory = memory_mib(value); key == "memory" && memory) cgroup.memory_mib = *memory;
    }
    // The limits of a pod without a GPU may belong to another container.
    if (gpu) snapshot.host.fill().cgroup = cgroup;
  }
  const auto offers = [&](std::string_view title) -> std::optional<std::int64_t> {
    const auto found = sections.find(title);
    // A node shows all resources, including the number of pods; a pod shows none that is zero.
    const bool whole = found != sections.end() &&
                       (found->second.contains("pods") ||
                        std::ranges::any_of(found->second, [](const auto& one) { return gpu_resource(one.first); }));
    if (!whole) return std::nullopt;
    std::int64_t count = 0;
    for (const auto& [key, value] : found->second)
      if (gpu_resource(key)) count += number_of(value).value_or(0);
    return count;
  };
  const auto capacity = offers("Capacity:"), allocatable = offers("Allocatable:");
  const bool wanted = contains(text, "nvidia.com/gpu") || contains(text, "amd.com/gpu") || contains(text, "nvidia-smi");
  if (allocatable && *allocatable == 0 && wanted)
    add_symptom(snapshot, {missing, "gpu-of-kubernetes-node"}, offer_row, offer_line).details["capacity"] =
        std::to_string(capacity.value_or(0));
  else if (allocatable && capacity && *allocatable < *capacity)
    add_symptom(snapshot, {lost, "gpu-of-kubernetes-node"}, offer_row, offer_line).details = {
        {"capacity", std::to_string(*capacity)}, {"allocatable", std::to_string(*allocatable)}};
  return snapshot;
}

}  // namespace envdoctor
