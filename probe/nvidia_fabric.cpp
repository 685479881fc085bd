#include "probe/nvidia_fabric.h"

#include <algorithm>

#include "probe/text.h"

namespace envdoctor {
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

}  // namespace envdoctor
