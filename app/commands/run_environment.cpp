#include "app/commands/run_environment.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "checks/facts/selection.h"
#include "knowledge/frameworks/switches.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {
namespace {

// "gpu:1" and "gpu:GPU-2f…" -> the GPU they name. Where the kernel doesn't list GPUs, as on WSL2, the number stands for
// itself: CUDA in bus order counts as nvidia-smi does.
ListedGpu named_gpu(const std::string& name, const std::vector<ListedGpu>& gpus) {
  std::int64_t number = 0;
  if (RE2::FullMatch(name, "([0-9]+)", &number)) {
    if (gpus.empty()) return {"nvidia", number, "", ""};
    const std::string vendor = gpus.front().vendor;
    const auto of_vendor = std::ranges::count(gpus, vendor, &ListedGpu::vendor);
    if (number < of_vendor) return gpus[static_cast<std::size_t>(number)];
    throw UsageError(of_vendor == 1 ? fmt::format("--device gpu:{}: this host has one {} GPU, gpu:0", number, vendor)
                                    : fmt::format("--device gpu:{}: this host has {} {} GPUs, gpu:0 to gpu:{}", number,
                                                  of_vendor, vendor, of_vendor - 1));
  }
  if (name.starts_with("MIG-") && name.size() > 4) return {"nvidia", 0, name, ""};
  if (!name.starts_with("GPU-") || name.size() < 5)
    throw UsageError(fmt::format("--device gpu:{}: not an index of nvidia-smi nor a UUID (GPU-…)", name));
  std::vector<ListedGpu> fitting;
  bool all_known = !gpus.empty();
  for (const ListedGpu& gpu : gpus) {
    if (gpu.uuid.starts_with(name)) fitting.push_back(gpu);
    all_known = all_known && (!gpu.uuid.empty() || gpu.vendor == "intel");
  }
  if (fitting.size() > 1)
    throw UsageError(fmt::format("--device gpu:{}: several GPUs have a UUID that begins with it", name));
  if (fitting.empty() && all_known)
    throw UsageError(fmt::format("--device gpu:{}: no GPU of this host has a UUID that begins with it", name));
  return fitting.empty() ? ListedGpu{"nvidia", 0, name, ""} : fitting.front();
}

bool hides_all(const std::string& value) {
  const auto entries = entries_of(value);
  if (entries.empty()) return true;
  const std::string& first = entries.front();
  return first.empty() || first.starts_with('-') || !(starts_as_number(first) || first.find('-') != first.npos);
}

bool names_only_cpu(const std::string& value) {
  static const LazyRegex others("gpu|cuda|rocm|hip|tpu", RE2::Latin1);
  return value.find("cpu") != value.npos && !RE2::PartialMatch(value, others);
}

std::string filled(std::string text, const ListedGpu& gpu) {
  const std::string index = std::to_string(gpu.index);
  RE2::Replace(&text, "\\{uuid\\}", gpu.uuid.empty() ? index : gpu.uuid);
  RE2::Replace(&text, "\\{index\\}", index);
  return text;
}

}  // namespace

std::vector<EnvChange> environment_changes(const RunOptions& options, const std::vector<ListedGpu>& gpus,
                                           const std::map<std::string, std::string>& env) {
  std::map<std::string, EnvChange> by_name;
  const auto add = [&](const std::string& name, const ListedGpu& gpu = {}) {
    for (const knowledge::SwitchVariable& row : knowledge::variables_of_switch(name)) {
      const auto set = env.find(row.name);
      const bool is_set = set != env.end();
      if (row.when == "hides" && !(is_set && hides_all(set->second))) continue;
      if (row.when == "names only cpu" && !(is_set && names_only_cpu(set->second))) continue;
      if (!row.value && !is_set) continue;
      EnvChange change{row.name, std::nullopt, row.why};
      if (row.value) change.value = filled(*row.value, gpu);
      if (row.append && is_set && !set->second.empty() && set->second.find(*change.value) == std::string::npos)
        change.value = set->second + " " + *change.value;
      by_name[row.name] = change;
    }
  };
  if (options.device == "cpu") {
    add("cpu");
  } else if (options.device == "gpu") {
    add("gpu");
  } else if (options.device.starts_with("gpu:")) {
    const ListedGpu gpu = named_gpu(options.device.substr(4), gpus);
    add("gpu");
    add("gpu-" + gpu.vendor, gpu);
  } else if (!options.device.empty()) {
    throw UsageError(fmt::format("--device {}: not one of cpu, gpu, gpu:NUMBER, gpu:UUID", options.device));
  }
  if (options.deterministic) add("deterministic");
  if (!options.tf32.empty()) add("tf32-" + options.tf32);
  if (options.memory_growth) add("memory-growth");
  std::vector<EnvChange> changes;
  for (const auto& [name, change] : by_name) changes.push_back(change);
  return changes;
}

std::string shell_lines(const std::vector<EnvChange>& changes, bool reasons) {
  std::string lines;
  for (const EnvChange& change : changes) {
    if (reasons) lines += fmt::format("# {}\n", change.why);
    std::string quoted;
    for (const char c : change.value.value_or("")) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    lines +=
        change.value ? fmt::format("export {}='{}';\n", change.name, quoted) : fmt::format("unset {};\n", change.name);
  }
  return lines;
}

std::vector<std::string> changed_environment(std::map<std::string, std::string> env,
                                             const std::vector<EnvChange>& changes) {
  for (const EnvChange& change : changes) {
    if (change.value)
      env[change.name] = *change.value;
    else
      env.erase(change.name);
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : env) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

}  // namespace envdoctor
