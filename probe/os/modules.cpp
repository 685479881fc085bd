// Loaded kernel modules that drive GPUs, or conflict with those that do.
#include <algorithm>
#include <array>
#include <set>

#include "host/text.h"
#include "probe/os/modules.h"
#include "probe/probes.h"

namespace envdoctor {
namespace {

constexpr std::array names = {"amdgpu",     "amdkfd",    "radeon",   "i915",        "xe",
                              "nouveau",    "nova_core", "nova_drm", "gdrdrv",      "nvgpu",
                              "nvmap",      "dxgkrnl",   "vfio_pci", "nv_peer_mem", "nvgrace_gpu_vfio_pci",
                              "habanalabs", "ast",       "mgag200",  "virtio_gpu",  "vmwgfx",
                              "qxl",        "bochs",     "cirrus",   "hyperv_drm",  "gma500_gfx",
                              "tegra_drm"};

}  // namespace

bool is_gpu_module(std::string_view name) {
  return name.starts_with("nvidia") || std::ranges::find(names, name) != names.end();
}

namespace {

// A row of /proc/modules: name, size, users, used by, state, address. One that is loading or unloading
// drives no device.
std::set<std::string> loaded(std::string_view text) {
  std::set<std::string> result;
  for (const auto line : lines_of(text)) {
    const auto words = words_of(line);
    if (words.empty() || !is_gpu_module(words[0])) continue;
    if (words.size() < 5 || words[4] == "Live") result.emplace(words[0]);
  }
  return result;
}

}  // namespace

void probe_modules(Session& session) {
  const Files& files = session.host.files;
  Snapshot part;
  const auto text = files.read("/proc/modules", 4 << 20);
  const auto folder = files.list("/sys/module");
  // /sys/module also shows built-in modules, and exists where /proc/modules is hidden. In sandboxes
  // such as gVisor it is empty, which it never is on Linux.
  std::set<std::string> found = loaded(text.or_empty());
  for (const std::string& name : folder.or_empty()) {
    if (!is_gpu_module(name)) continue;
    const auto state = read_line(files, "/sys/module/" + name + "/initstate");
    if (state.is("live") || state.outcome() == Outcome::absent) found.insert(name);
  }
  if (text.get() || !folder.or_empty().empty())
    part.modules.fill();
  else if (text.outcome() == Outcome::failed)
    part.modules = text.missing();
  else if (folder.outcome() == Outcome::failed)
    part.modules = folder.missing();
  else
    part.modules = absent("this kernel shows no modules: no /proc/modules, nothing in /sys/module");
  for (const std::string& name : found) {
    auto version = read_line(files, "/sys/module/" + name + "/version");
    if (version.outcome() == Outcome::absent) version = absent("the module carries no version");
    part.modules.fill().push_back({.name = name, .version = version});
  }
  session.add(part);
}

}  // namespace envdoctor
