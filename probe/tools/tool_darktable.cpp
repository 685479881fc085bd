// darktable-cltest and darktable -d opencl: the devices that OpenCL lists, with their platforms.
#include <algorithm>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

bool starts_darktable(std::string_view line) {
  const std::string_view words = trimmed(line);
  return words == "[dt_opencl_device_init]" || words.starts_with("DEVICE: ");
}

Snapshot parse_darktable(const std::string& text) {
  std::vector<OpenclPlatform> platforms;
  std::string name;
  OpenclPlatform platform;
  for (const std::string_view line : lines_of(text)) {
    const std::string_view words = trimmed(line.substr(0, 400));
    if (const auto device = after(words, "DEVICE: ")) name = std::string(*device), platform = {};
    if (const auto maker = after(words, "PLATFORM, VENDOR & ID:"))
      platform.name = std::string(trimmed(maker->substr(0, maker->find(','))));
    const auto type = after(words, "DEVICE TYPE:");
    if (!type || name.empty() || platforms.size() >= 64) continue;
    const bool gpu = contains(*type, "GPU"), cpu = contains(*type, "CPU");
    if (!gpu && !cpu) continue;
    platform.devices = std::vector<OpenclDevice>{{.name = name, .type = std::string(gpu ? "gpu" : "cpu")}};
    platforms.push_back(std::move(platform));
    name.clear();
    platform = {};
  }
  Snapshot snapshot;
  if (!platforms.empty()) snapshot.opencl.fill().platforms = std::move(platforms);
  return snapshot;
}

}  // namespace envdoctor
