#include "probe/nvidia_proc.h"

#include <algorithm>

#include "probe/nvidia_fabric.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr const char* folder = "/proc/driver/nvidia";

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
    if (value.empty()) return absent("the driver leaves it empty");
    if (value.find("??") != std::string_view::npos)
      return absent("the driver doesn't know it before the GPU is first used");
    return std::string(value);
  }
  return absent("the driver doesn't say");
}

Text module_version(const Files& files) {
  const auto version = read_line(files, "/sys/module/nvidia/version");
  if (version.outcome() != Outcome::absent) return version;
  return absent("no NVIDIA kernel driver is loaded: no /proc/driver/nvidia/version, no /sys/module/nvidia/version");
}

List<NvidiaProcGpu> gpus(const Files& files) {
  const std::string gpus_folder = std::string(folder) + "/gpus";
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
  const auto version = files.read(std::string(folder) + "/version");
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

}  // namespace envdoctor
