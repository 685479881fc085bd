// What a framework's own build and variables leave of the devices that its runtime gives it.
#include <algorithm>
#include <set>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"

namespace envdoctor {
namespace {

void hide_all(VisibleList& list, Filter filter, const std::string& why) {
  filter.effect = "leaves 0 of " + std::to_string(list.devices.size());
  for (VisibleDevice& device : list.devices) list.hidden.push_back({std::move(device), filter.name, why});
  list.devices.clear();
  list.filters.push_back(std::move(filter));
}

bool for_amd(const Snapshot& snapshot, const std::string& framework) {
  if (framework == "torch") return framework_version(snapshot, "torch").find("+rocm") != std::string::npos;
  if (framework == "tensorflow") return package_installed(snapshot, "tensorflow-rocm").is(true);
  return package_installed(snapshot, "jax-rocm60-plugin").is(true) ||
         package_installed(snapshot, "jax-rocm7-plugin").is(true);
}

bool without_gpu(const Snapshot& snapshot, const std::string& framework) {
  const std::string version = framework_version(snapshot, framework);
  if (framework == "torch")
    return version.find("+cpu") != std::string::npos ||
           of(snapshot.torch, &Torch::cuda_version).outcome() == Outcome::absent;
  return framework == "tensorflow" && of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false);
}

// JAX_PLATFORMS=cpu, or the older JAX_PLATFORM_NAME: a list that names no kind of GPU.
bool leaves_cpu_only(const std::string& platforms) {
  const auto entries = entries_of(platforms);
  return !entries.empty() && std::ranges::none_of(entries, [](const std::string& e) {
    return e == "cuda" || e == "gpu" || e == "rocm" || e == "oneapi" || e.empty();
  });
}

// JAX_CUDA_VISIBLE_DEVICES: a set of numbers, counted in what the runtime left; its order doesn't matter.
void keep_numbers(VisibleList& list, const std::string& name, const std::string& value) {
  const std::vector<std::size_t> kept = select_jax(value, list.devices.size());
  std::vector<VisibleDevice> left;
  for (std::size_t i = 0; i < list.devices.size(); ++i) {
    if (std::ranges::find(kept, i) != kept.end())
      left.push_back(std::move(list.devices[i]));
    else
      list.hidden.push_back({std::move(list.devices[i]), name, "not named by " + name});
  }
  list.filters.push_back(
      {name, value, "leaves " + std::to_string(left.size()) + " of " + std::to_string(list.devices.size())});
  list.devices = std::move(left);
}

}  // namespace

std::vector<std::size_t> select_jax(std::string_view value, std::size_t devices) {
  std::set<std::size_t> kept;
  for (const std::string& entry : entries_of(value)) {
    if (entry == "all" || value.empty()) {
      for (std::size_t i = 0; i < devices; ++i) kept.insert(i);
    } else if (entry.find_first_not_of("0123456789") == std::string::npos && !entry.empty() && entry.size() < 6) {
      if (const std::size_t number = std::stoul(entry); number < devices) kept.insert(number);
    }
  }
  return {kept.begin(), kept.end()};
}

VisibleList visible_to_framework(const Snapshot& snapshot, const std::string& framework) {
  const bool amd = for_amd(snapshot, framework);
  VisibleList list = amd ? visible_to_rocm(snapshot) : visible_to_cuda(snapshot);
  list.stack = framework;
  if (without_gpu(snapshot, framework)) {
    hide_all(list, {.name = "build", .value = framework_version(snapshot, framework)},
             "the installed " + framework + " is a CPU-only build");
    list.unknown.clear();
  }
  if (framework != "jax") return list;
  for (const char* name : {"JAX_PLATFORMS", "JAX_PLATFORM_NAME"}) {
    const Text platforms = env_of(snapshot, name);
    if (!platforms.get() || platforms.get()->empty()) continue;
    if (leaves_cpu_only(*platforms.get()))
      hide_all(list, {.name = name, .value = *platforms.get()}, std::string(name) + " names no GPU platform");
    break;
  }
  const char* numbers = amd ? "JAX_ROCM_VISIBLE_DEVICES" : "JAX_CUDA_VISIBLE_DEVICES";
  const Text value = env_of(snapshot, numbers);
  if (value.get() && !value.get()->empty() && *value.get() != "all") keep_numbers(list, numbers, *value.get());
  return list;
}

}  // namespace envdoctor
