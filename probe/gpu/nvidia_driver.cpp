#include "probe/gpu/nvidia_driver.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>

#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "probe/gpu/vendor_probes.h"
#include "probe/probes.h"

namespace envdoctor {

namespace {

constexpr const char* driver_folder = "/proc/driver/nvidia";

// The text after "Key:"; a value that the driver masks with question marks isn't known yet.
Text reported(std::string_view text, std::string_view key) {
  const auto value = value_of(text, key);
  if (!value) return absent("the driver does not report it");
  if (value->empty()) return absent("the driver reports an empty value");
  if (contains(*value, "??")) return absent("the driver does not know it until the GPU is first used");
  return std::string(*value);
}

Text module_version(const Files& files) {
  const auto version = read_line(files, "/sys/module/nvidia/version");
  if (version.outcome() != Outcome::absent) return version;
  return absent("no NVIDIA kernel driver is loaded: no /proc/driver/nvidia/version, no /sys/module/nvidia/version");
}

List<NvidiaProcGpu> gpus(const Files& files) {
  const std::string gpus_folder = std::string(driver_folder) + "/gpus";
  return files.list(gpus_folder).then([&](const std::vector<std::string>& names) {
    std::vector<NvidiaProcGpu> found;
    for (const std::string& name : names) {
      const auto gpu = files.read(gpus_folder + "/" + name + "/information").then(parse_gpu_information);
      const Missing& why = gpu.missing();
      found.push_back(gpu.value_or({.model = why, .uuid = why, .minor = why}));
      found.back().address = name;
    }
    return found;
  });
}

constexpr const char* bus = "/sys/bus/pci/devices";
constexpr std::int64_t nvidia_vendor = 0x10de;
constexpr std::int64_t other_bridge = 0x0680;

// NVSwitch: by its device nodes, its driver's folder, or the PCI bus. Absent where no PCI bus is shown.
Flag has_nvswitch(const Files& files) {
  const bool any_node = std::ranges::any_of(files.list("/dev").or_empty(), [](const std::string& name) {
    return name.starts_with("nvidia-nvswitch") && name != "nvidia-nvswitchctl";
  });
  if (any_node || !files.list("/proc/driver/nvidia-nvswitch/devices").or_empty().empty()) return true;
  const auto addresses = files.list(bus);
  if (addresses.outcome() == Outcome::absent) return absent("this host shows no PCI bus");
  return addresses.then([&](const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& address) {
      const std::string device = std::string(bus) + "/" + address;
      if (!read_number(files, device + "/vendor").is(nvidia_vendor)) return false;
      return read_number(files, device + "/class").value_or(0) >> 8 == other_bridge;
    });
  });
}

// The daemon that such a host needs before CUDA starts. Looked for only where there is an NVSwitch, by process name;
// failed where other processes are hidden.
Flag fabric_manager_runs(const Files& files, const Flag& nvswitch) {
  if (nvswitch.is(false)) return absent("no NVSwitch here, so none is needed");
  if (!nvswitch.get()) return nvswitch.missing();
  const auto processes = files.list("/proc");
  if (!processes.get()) return processes.missing();
  bool sees_all = false;
  for (const std::string& pid : *processes.get()) {
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto name = read_line(files, "/proc/" + pid + "/comm");
    if (name.is("nv-fabricmanage")) return true;  // the kernel keeps 15 characters of nv-fabricmanager
    sees_all |= name.is("kthreadd");
  }
  if (!sees_all) return failed("only some of the host's processes can be seen from here");
  return false;
}

// The driver whose libcuda a specification names; the folders are those of the CDI standard.
List<ContainerSpec> container_specs(const Files& files) {
  static const LazyRegex library(R"(lib(?:cuda|nvidia-ml)\.so\.([0-9]+\.[0-9.]*[0-9]))", RE2::Latin1);
  std::vector<ContainerSpec> found;
  for (const std::string folder : {"/etc/cdi", "/var/run/cdi"}) {
    for (const std::string& name : files.list(folder).or_empty()) {
      if (!name.ends_with(".yaml") && !name.ends_with(".json")) continue;
      const std::string path = folder + "/" + name;
      const auto text = files.read(path);
      std::string version;
      if (text.get() && RE2::PartialMatch(*text.get(), library, &version))
        found.push_back({.path = path, .driver_version = version});
    }
  }
  return found;
}

}  // namespace

Text nvrm_version(std::string_view text) {
  static const LazyRegex pattern(R"((?m)^NVRM version:.*?[ \t](\d+(?:\.+\d+)+)(?:[ \t\r]|$))", RE2::Latin1);
  if (std::string version; RE2::PartialMatch(text, pattern, &version)) return version;
  return failed("/proc/driver/nvidia/version: no line 'NVRM version:' with a number");
}

Text nvrm_kind(std::string_view text) {
  const auto line = value_of(text, "NVRM version");
  if (!line) return failed("/proc/driver/nvidia/version: no line 'NVRM version:'");
  return std::string(contains(*line, "Open Kernel Module") ? "open" : "proprietary");
}

NvidiaProcGpu parse_gpu_information(std::string_view text) {
  return {.address = reported(text, "Bus Location"),
          .model = reported(text, "Model"),
          .uuid = reported(text, "GPU UUID"),
          .minor = reported(text, "Device Minor").then([](const std::string& minor) -> Number {
            const auto number = number_of(minor);
            return number ? Number(*number) : failed("Device Minor: not a number");
          })};
}

Nvidia read_nvidia_proc(const Files& files) {
  Nvidia nvidia;
  const auto version = files.read(std::string(driver_folder) + "/version");
  nvidia.kernel_driver_version = version.then(nvrm_version);
  nvidia.kernel_module_kind = version.then(nvrm_kind);
  if (version.outcome() == Outcome::absent) {
    nvidia.kernel_driver_version = module_version(files);
    nvidia.kernel_module_kind = absent("no /proc/driver/nvidia/version");
  }
  nvidia.proc_gpus = gpus(files);
  nvidia.container_specs = container_specs(files);
  nvidia.nvswitch = has_nvswitch(files);
  nvidia.fabric_manager_running = fabric_manager_runs(files, nvidia.nvswitch);
  return nvidia;
}

namespace {

// NVML's version of the libraries comes first; without it the number in libcuda's file name is used.
void version_by_file_name(Session& session) {
  const auto* nvidia = session.so_far().nvidia.get();
  if (!nvidia || nvidia->userspace_driver_version.get()) return;
  const auto version = nvidia->cuda_library.then(
      [&](const std::string& path) { return session.host.files.resolve(path).then(version_in_file_name); });
  session.add({.nvidia = Nvidia{.userspace_driver_version = version}});
}

// NVML and the CUDA driver, each in a child.
void start_libraries(Session& session) {
  const auto running = std::make_shared<int>(2);
  const auto over = [&session, running] {
    if (--*running == 0) version_by_file_name(session);
  };
  start_nvml(session, nvml::soname, {}, over);
  start_cuda(session, cuda::soname, {}, over);
}

}  // namespace

void probe_nvidia(Session& session) {
  if (session.host.live) start_libraries(session);
  session.add({.nvidia = read_nvidia_proc(session.host.files)});
}

}  // namespace envdoctor
