#include "probe/nvml.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "evidence/json.h"
#include "probe/nvml_ask.h"

namespace envdoctor {
namespace {

constexpr unsigned most_devices = 256;

// The library's own version: "12.550.54.14" is NVML for CUDA 12 of driver 550.54.14.
Text library_version(nvml::Api& api) {
  std::string version;
  const nvml::Code code = api.library_version(version);
  if (code != nvml::success) return failed("nvmlSystemGetNVMLVersion: " + code_text("nvml", code));
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos) return failed("NVML calls its version '" + tame(version) + "'");
  return tame(version.substr(dot + 1));
}

NvidiaDevice unreadable(unsigned index, nvml::Code code) {
  return {.index = std::int64_t{index}, .error = code_text("nvml", code)};
}

List<NvidiaProcess> processes_on(nvml::Api& api, unsigned index, nvml::Device handle, bool redact) {
  NvmlAsk ask(api, handle);
  std::map<unsigned, nvml::Process> by_pid;  // one process may do both
  for (const auto kind : {nvml::ProcessKind::compute, nvml::ProcessKind::graphics}) {
    const auto found = ask.read(&nvml::Api::processes, kind);
    if (found.outcome() == Outcome::failed) return found.missing();
    if (!found.get()) continue;
    for (const nvml::Process& process : *found.get()) by_pid.try_emplace(process.pid, process);
  }
  std::vector<NvidiaProcess> out;
  for (const auto& [pid, process] : by_pid) {
    NvidiaProcess told{.pid = std::int64_t{pid}, .gpu = std::int64_t{index}};
    std::string name;
    const nvml::Code code = api.process_name(pid, name);
    if (code != nvml::success)
      told.name = failed(code_text("nvml", code));
    else
      told.name = tame(redact ? name.substr(name.rfind('/') + 1) : name);
    if (process.memory_bytes == nvml::memory_not_available)
      told.memory_mib = absent("NVML doesn't tell the memory of this process");
    else
      told.memory_mib = mib(process.memory_bytes);
    out.push_back(std::move(told));
  }
  return out;
}

void read_devices(nvml::Api& api, Nvidia& nvidia, bool redact) {
  unsigned count = 0;
  const nvml::Code counted = api.device_count(count);
  if (counted != nvml::success || count > most_devices) {
    const std::string why = counted != nvml::success ? "nvmlDeviceGetCount: " + code_text("nvml", counted)
                                                     : fmt::format("NVML counts {} devices", count);
    nvidia.devices = failed(why);
    nvidia.processes = failed(why);
    return;
  }
  auto& devices = nvidia.devices.fill();
  auto& processes = nvidia.processes.fill();
  Missing not_listed;
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device handle = nullptr;
    const nvml::Code code = api.device(index, handle);
    if (code != nvml::success) {
      devices.push_back(unreadable(index, code));
      continue;
    }
    devices.push_back(read_nvml_device(api, index, handle, redact));
    if (devices.back().error.get()) continue;
    const auto on_this = processes_on(api, index, handle, redact);
    if (const auto* found = on_this.get())
      processes.insert(processes.end(), found->begin(), found->end());
    else
      not_listed = on_this.missing();
  }
  if (processes.empty() && !not_listed.why.empty()) nvidia.processes = not_listed;
}

}  // namespace

Nvidia read_nvml(nvml::Api& api, bool redact, const TellNvidia& tell) {
  Nvidia nvidia{.nvml_library = api.library()};
  if (!nvidia.nvml_library.get()) {
    const std::string why = "NVML was not loaded: " + nvidia.nvml_library.why();
    const Missing missing{nvidia.nvml_library.outcome(), why};
    nvidia.nvml_error = failed(why);  // absent would say that it initialised
    nvidia.devices = missing;
    nvidia.processes = missing;
    return nvidia;
  }
  nvidia.userspace_driver_version = library_version(api);
  tell(nvidia);
  if (const nvml::Code code = api.init(); code != nvml::success) {
    nvidia.nvml_error = code_text("nvml", code);
    const std::string why = "nvmlInit: " + code_text("nvml", code);
    nvidia.devices = failed(why);
    nvidia.processes = failed(why);
    return nvidia;
  }
  nvidia.nvml_error = absent("NVML initialised");
  read_devices(api, nvidia, redact);
  tell(nvidia);
  api.shutdown();
  return nvidia;
}

void start_nvml(Session& session, const std::string& soname_or_path, Limits limits, std::function<void()> over) {
  const bool redact = session.options.redact;
  start_vendor(
      session,
      {.probe = "nvidia",
       .library = soname_or_path,
       .limits = limits,
       .read =
           [=](const Channel& channel) {
             const auto api = nvml::open(soname_or_path, steps(channel));
             return Snapshot{.nvidia = read_nvml(*api, redact, [&](const Nvidia& so_far) {
                               channel.answer(to_json({.nvidia = so_far}));
                             })};
           },
       .file = [](const Snapshot& told) { return told.nvidia.then([](const Nvidia& n) { return n.nvml_library; }); },
       .not_read =
           [](const Missing& why) {
             return Snapshot{.nvidia =
                                 Nvidia{.nvml_library = why, .nvml_error = why, .devices = why, .processes = why}};
           },
       .over = std::move(over)});
}

}  // namespace envdoctor
