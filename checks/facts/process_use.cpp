#include "checks/facts/process_use.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "checks/facts/selection.h"
#include "knowledge/frameworks/process_names.h"

namespace envdoctor {
namespace {

constexpr double hardly_busy_percent = 10;
constexpr double too_short_s = 0.5;  // shorter than this, looks are too few to prove an absence
constexpr std::int64_t few_rounds = 2;

// A node that computing needs, not only asking or showing.
bool for_computing(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const bool digits_at_end = !name.empty() && name.back() >= '0' && name.back() <= '9';
  if (name.starts_with("nvidia")) return name == "nvidia-uvm" || (digits_at_end && name.find('-') == name.npos);
  return name != "nvmap" && !name.starts_with("card");
}

bool any_for_computing(const List<std::string>& nodes) {
  return nodes.get() && std::ranges::any_of(*nodes.get(), for_computing);
}

// The roles of all libraries that were mapped, with the library's name behind each: "framework torch".
std::set<std::string> roles_of(const ProcessUse& use) {
  std::set<std::string> roles;
  for (const ProcessLibrary& library : use.libraries.get() ? *use.libraries.get() : std::vector<ProcessLibrary>{}) {
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

bool jax_on_cpu(const ProcessUse& use) {
  const auto* env = use.env.get();
  return env && env->contains("JAX_PLATFORMS") && env->at("JAX_PLATFORMS") == "cpu";
}

std::string why_never_opened(const Watched& watched, const ProcessUse& use) {
  const auto* nodes = watched.device_nodes.get();
  std::vector<const DeviceNode*> computing;
  const std::vector<DeviceNode> none;
  for (const DeviceNode& node : nodes ? *nodes : none) {
    if (for_computing(*node.path.get())) computing.push_back(&node);
  }
  if (nodes && computing.empty()) return "this host has no GPU node in /dev";
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"}) {
    const auto* env = use.env.get();
    const auto set = env ? env->find(name) : decltype(env->end()){};
    if (env && set != env->end() && hides_all(set->second))
      return std::string(name) + "=" + (set->second.empty() ? "''" : set->second) + " hides every GPU from it";
  }
  if (jax_on_cpu(use)) return "JAX_PLATFORMS=cpu keeps JAX off the GPU";
  const bool closed = !computing.empty() &&
                      std::ranges::all_of(computing, [](const DeviceNode* node) { return node->accessible.is(false); });
  if (closed) return "this user may not open " + *computing.front()->path.get();
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
  const double seconds = use.seconds.get() ? *use.seconds.get() : 0;
  const auto* opens = use.opens.get();
  const auto* nodes = watched.device_nodes.get();
  const bool no_node =
      nodes && std::ranges::none_of(*nodes, [](const DeviceNode& n) { return for_computing(*n.path.get()); });
  if (seconds < too_short_s && !no_node) {
    if (!opens) return {DeviceUse::unknown, "it ended too soon to be looked at often enough"};
    if (*opens > 0)
      return {DeviceUse::unknown,
              "a GPU node was opened meanwhile, by a process that had ended before it was looked at"};
  }
  return {DeviceUse::never_opened, why_never_opened(watched, use)};
}

}  // namespace

const ProcessLibrary* cudnn_of(const ProcessUse& use) {
  const auto* libraries = use.libraries.get();
  if (!libraries) return nullptr;
  const ProcessLibrary* best = nullptr;
  for (const ProcessLibrary& library : *libraries) {
    if (library.library.is("cudnn") && (!best || (!best->version.get() && library.version.get()))) best = &library;
  }
  return best;
}

ProcessVerdict judge_process(const Watched& watched) {
  const ProcessUse* use = watched.process.get();
  if (!use) return {DeviceUse::unknown, watched.process.why().empty() ? "it was not watched" : watched.process.why()};
  const auto* gpus = use->gpus.get();
  if ((use->samples.is(0) || !use->nodes.get()) && !use->opens.is(0))
    return {DeviceUse::unknown, "it ended before it could be looked at"};
  if (!any_for_computing(use->nodes) && !(gpus && !gpus->empty())) return never_opened(watched, *use);
  if (!gpus) return {DeviceUse::unknown, "it opened a GPU, but how it used it is not known: " + use->gpus.why()};
  if (gpus->empty()) {
    const double seconds = use->seconds.get() ? *use->seconds.get() : 0;
    if (seconds < 2 * too_short_s)
      return {DeviceUse::unknown, "it opened a GPU and ended too soon to tell how it used it"};
    const bool nvidia = std::ranges::any_of(*use->nodes.get(),
                                            [](const std::string& path) { return path.find("/nvidia") != path.npos; });
    if (!nvidia) return {DeviceUse::unknown, "it opened a GPU whose driver doesn't tell who uses it"};
    return {DeviceUse::idle, "the driver never listed it as computing"};
  }
  std::string unknown;
  bool enough = false, any = false, well = false;
  for (const ProcessGpu& gpu : *gpus) {
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
