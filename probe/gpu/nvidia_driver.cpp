#include "probe/gpu/nvidia_driver.h"

#include <algorithm>
#include <memory>

#include "probe/gpu/vendor_probes.h"
#include "probe/probes.h"
#include "probe/text.h"

namespace envdoctor {

namespace {

constexpr const char* driver_folder = "/proc/driver/nvidia";

bool is_version(std::string_view word) {
  return word.find('.') != std::string_view::npos && word.front() != '.' && word.back() != '.' &&
         std::ranges::all_of(word, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

// The text after "Key:"; a value that the driver masks with question marks isn't known yet.
Text value_of(std::string_view text, std::string_view key) {
  for (const auto line : lines_of(text)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != key) continue;
    const auto value = trimmed(line.substr(colon + 1));
    if (value.empty()) return absent("the driver reports an empty value");
    if (value.find("??") != std::string_view::npos)
      return absent("the driver does not know it until the GPU is first used");
    return std::string(value);
  }
  return absent("the driver does not report it");
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
      const auto text = files.read(gpus_folder + "/" + name + "/information");
      NvidiaProcGpu gpu;
      if (text.get()) {
        gpu = parse_gpu_information(*text.get());
      } else {
        gpu.model = gpu.uuid = Text(text.missing());
        gpu.minor = text.missing();
      }
      gpu.address = name;
      found.push_back(gpu);
    }
    return found;
  });
}

}  // namespace

Text nvrm_version(std::string_view text) {
  for (const auto line : lines_of(text)) {
    if (!line.starts_with("NVRM version:")) continue;
    for (const auto word : words_of(line))
      if (is_version(word)) return std::string(word);
  }
  return failed("/proc/driver/nvidia/version: no line 'NVRM version:' with a number");
}

Text nvrm_kind(std::string_view text) {
  for (const auto line : lines_of(text))
    if (line.starts_with("NVRM version:"))
      return std::string(line.find("Open Kernel Module") != std::string_view::npos ? "open" : "proprietary");
  return failed("/proc/driver/nvidia/version: no line 'NVRM version:'");
}

NvidiaProcGpu parse_gpu_information(std::string_view text) {
  return {.address = value_of(text, "Bus Location"),
          .model = value_of(text, "Model"),
          .uuid = value_of(text, "GPU UUID"),
          .minor = value_of(text, "Device Minor").then([](const std::string& minor) -> Number {
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
  nvidia.nvswitch = has_nvswitch(files);
  nvidia.fabric_manager_running = fabric_manager_runs(files, nvidia.nvswitch);
  return nvidia;
}

namespace {

constexpr const char* bus = "/sys/bus/pci/devices";
constexpr std::int64_t nvidia_vendor = 0x10de;
constexpr std::int64_t other_bridge = 0x0680;

bool any_node(const Files& files) {
  const auto names = files.list("/dev");
  return names.get() && std::ranges::any_of(*names.get(), [](const std::string& name) {
           return name.starts_with("nvidia-nvswitch") && name != "nvidia-nvswitchctl";
         });
}

bool any_driven(const Files& files) {
  const auto names = files.list("/proc/driver/nvidia-nvswitch/devices");
  return names.get() && !names.get()->empty();
}

}  // namespace

Flag has_nvswitch(const Files& files) {
  if (any_node(files) || any_driven(files)) return true;
  const auto addresses = files.list(bus);
  if (addresses.outcome() == Outcome::absent) return absent("this host shows no PCI bus");
  return addresses.then([&](const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& address) {
      const std::string device = std::string(bus) + "/" + address;
      if (!read_number(files, device + "/vendor").is(nvidia_vendor)) return false;
      const auto code = read_number(files, device + "/class");
      return code.get() && *code.get() >> 8 == other_bridge;
    });
  });
}

Flag fabric_manager_runs(const Files& files, const Flag& nvswitch) {
  if (nvswitch.is(false)) return absent("no NVSwitch here, so none is needed");
  if (!nvswitch.get()) return nvswitch.missing();
  const auto processes = files.list("/proc");
  if (!processes.get()) return processes.missing();
  bool sees_all = false;
  for (const std::string& pid : *processes.get()) {
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto name = read_line(files, "/proc/" + pid + "/comm");
    if (name.is("nv-fabricmanage")) return true;  // the kernel keeps 15 letters of nv-fabricmanager
    sees_all |= name.is("kthreadd");
  }
  if (!sees_all) return failed("only some of the host's processes can be seen from here");
  return false;
}

namespace {

// NVML's word on the version of the libraries comes first; without it the number in libcuda's file name stands.
void version_by_file_name(Session& session) {
  const auto* nvidia = session.so_far().nvidia.get();
  if (!nvidia || nvidia->userspace_driver_version.get()) return;
  const auto version = nvidia->cuda_library.then(
      [&](const std::string& path) { return session.host.files.resolve(path).then(version_in_file_name); });
  session.add({.nvidia = Nvidia{.userspace_driver_version = version}});
}

// NVML and the CUDA driver, a child each.
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
