#include "checks/facts/process_use.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "checks/facts/selection.h"
#include "knowledge/frameworks/process_names.h"

namespace envdoctor {
namespace {

constexpr double hardly_busy_percent = 10;
constexpr double too_short_s = 0.5;  // below this there are too few samples to prove an absence
constexpr std::int64_t few_rounds = 2;

// A node for computing, not only for queries or display.
bool for_computing(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool digits_at_end = !name.empty() && name.back() >= '0' && name.back() <= '9';
  if (name.starts_with("nvidia")) return name == "nvidia-uvm" || (digits_at_end && name.find('-') == name.npos);
  return name != "nvmap" && !name.starts_with("card");
}

// The roles of all libraries that were mapped, each followed by the library's name: "framework torch".
std::set<std::string> roles_of(const ProcessUse& use) {
  std::set<std::string> roles;
  for (const ProcessLibrary& library : use.libraries.or_empty()) {
    const std::string& path = *library.path.get();
    if (const auto* kind = knowledge::process_library_kind(path.substr(path.rfind('/') + 1))) {
      roles.insert(kind->role);
      roles.insert(kind->role + " " + kind->name);
    }
  }
  return roles;
}

std::string framework_in(const std::set<std::string>& roles) {
  for (const std::string& role : roles) {
    if (role.starts_with("framework ")) return role.substr(10);
  }
  return {};
}

bool hides_all(const std::string& value) { return select_cuda(value, {{}, {}, {}, {}, {}, {}, {}, {}}).chosen.empty(); }

std::vector<const DeviceNode*> computing_nodes(const List<DeviceNode>& nodes) {
  std::vector<const DeviceNode*> computing;
  for (const DeviceNode& node : nodes.or_empty()) {
    if (for_computing(*node.path.get())) computing.push_back(&node);
  }
  return computing;
}

std::string why_never_opened(const Watched& watched, const ProcessUse& use) {
  const std::string closed = why_no_gpu(watched.device_nodes);
  if (watched.device_nodes.get() && computing_nodes(watched.device_nodes).empty()) return closed;
  const auto& env = use.env.or_empty();
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const auto set = env.find(name);
    const std::string* value = set == env.end() ? nullptr : set->second.get();
    if (value && hides_all(*value))
      return std::string(name) + "=" + (value->empty() ? "''" : *value) + " hides every GPU from it";
  }
  if (env.contains("JAX_PLATFORMS") && env.at("JAX_PLATFORMS").is("cpu"))
    return "JAX_PLATFORMS=cpu keeps JAX off the GPU";
  if (!closed.empty()) return closed;
  if (!use.libraries.get())
    return "it ended before its libraries could be looked at, and no GPU node was opened meanwhile";
  const auto roles = roles_of(use);
  const std::string framework = framework_in(roles);
  if (framework.empty() && !roles.contains("driver") && !roles.contains("runtime"))
    return "no library that uses a GPU was loaded";
  if (!framework.empty() && !roles.contains("framework-gpu") && framework != "TensorFlow")
    return framework + " is loaded without its GPU part: a CPU-only build";
  if (!roles.contains("driver"))
    return framework + " never loaded the GPU driver's library: a CPU-only build, or GPU libraries that it didn't find";
  return "the driver's library was loaded and found no device it could use";
}

ProcessVerdict never_opened(const Watched& watched, const ProcessUse& use) {
  if (const auto* why = use.unreadable.get()) return {DeviceUse::unknown, *why};
  if (const auto* why = use.outside.get()) return {DeviceUse::unknown, *why};
  const bool no_node = watched.device_nodes.get() && computing_nodes(watched.device_nodes).empty();
  if (use.seconds.or_empty() < too_short_s && !no_node) {
    if (!use.opens.get()) return {DeviceUse::unknown, "it ended too soon to be looked at often enough"};
    if (*use.opens.get() > 0)
      return {DeviceUse::unknown,
              "a GPU node was opened meanwhile, by a process that had ended before it was looked at"};
  }
  return {DeviceUse::never_opened, why_never_opened(watched, use)};
}

}  // namespace

const ProcessLibrary* cudnn_of(const ProcessUse& use) {
  const ProcessLibrary* best = nullptr;
  for (const ProcessLibrary& library : use.libraries.or_empty()) {
    if (library.library.is("cudnn") && (!best || (!best->version.get() && library.version.get()))) best = &library;
  }
  return best;
}

std::string why_no_gpu(const List<DeviceNode>& nodes) {
  const auto computing = computing_nodes(nodes);
  if (!nodes.get()) return {};
  if (computing.empty()) return "this host has no GPU node in /dev";
  const bool closed = std::ranges::all_of(computing, [](const DeviceNode* node) { return node->accessible.is(false); });
  return closed ? "this user may not open " + *computing.front()->path.get() : "";
}

bool computed_on_cpu(const Watched& watched, const ProcessVerdict& verdict) {
  const ProcessUse* use = watched.process.get();
  return verdict.use == DeviceUse::never_opened ||
         (verdict.use == DeviceUse::idle && use && use->gpus.get() && use->gpus.get()->empty());
}

ProcessVerdict judge_process(const Watched& watched) {
  const ProcessUse* use = watched.process.get();
  if (!use) return {DeviceUse::unknown, watched.process.why().empty() ? "it was not watched" : watched.process.why()};
  const auto& gpus = use->gpus.or_empty();
  if ((use->samples.is(0) || !use->nodes.get()) && !use->opens.is(0))
    return {DeviceUse::unknown, "it ended before it could be looked at"};
  if (std::ranges::none_of(use->nodes.or_empty(), for_computing) && gpus.empty()) return never_opened(watched, *use);
  if (!use->gpus.get())
    return {DeviceUse::unknown, "it opened a GPU, but how it used it is not known: " + use->gpus.why()};
  if (gpus.empty()) {
    if (use->seconds.or_empty() < 2 * too_short_s)
      return {DeviceUse::unknown, "it opened a GPU and ended too soon to tell how it used it"};
    const bool nvidia = std::ranges::any_of(*use->nodes.get(),
                                            [](const std::string& path) { return path.find("/nvidia") != path.npos; });
    if (!nvidia) return {DeviceUse::unknown, "it opened a GPU whose driver doesn't tell who uses it"};
    return {DeviceUse::idle, "the driver never listed it as computing"};
  }
  std::string unknown;
  bool enough = false, any = false, well = false;
  for (const ProcessGpu& gpu : gpus) {
    if (const auto* busy = gpu.busy_percent.get()) {
      any = any || *busy > 0;
      well = well || *busy >= hardly_busy_percent;
      enough = enough || !gpu.samples.get() || *gpu.samples.get() >= few_rounds;
    } else {
      unknown = gpu.busy_percent.why();
    }
  }
  if (well) return {DeviceUse::ran, {}, true};
  if (!unknown.empty())
    return {DeviceUse::unknown, "it opened a GPU, but how busy it kept it is not known: " + unknown, any};
  if (!enough) return {DeviceUse::unknown, "it opened a GPU and ended too soon to tell how busy it kept it", any};
  return {DeviceUse::idle, {}, any};
}

}  // namespace envdoctor
