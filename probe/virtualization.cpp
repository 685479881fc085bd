#include <algorithm>
#include <array>

#include "probe/surroundings.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

struct Sign {
  const char* text;
  const char* kind;
};

// Beginnings of the vendor or product that the firmware names.
constexpr std::array firmware_names = {Sign{"QEMU", "kvm"},
                                       Sign{"KVM", "kvm"},
                                       Sign{"Google Compute Engine", "kvm"},
                                       Sign{"OpenStack", "kvm"},
                                       Sign{"Red Hat KVM", "kvm"},
                                       Sign{"RHEV", "kvm"},
                                       Sign{"DigitalOcean", "kvm"},
                                       Sign{"Alibaba Cloud", "kvm"},
                                       Sign{"Hetzner", "kvm"},
                                       Sign{"VMware", "vmware"},
                                       Sign{"VirtualBox", "virtualbox"},
                                       Sign{"innotek", "virtualbox"},
                                       Sign{"Virtual Machine", "hyperv"},
                                       Sign{"Xen", "xen"},
                                       Sign{"HVM domU", "xen"},
                                       Sign{"Parallels", "parallels"},
                                       Sign{"BHYVE", "bhyve"},
                                       Sign{"Bochs", "bochs"},
                                       Sign{"Apple Virtualization", "apple"}};

constexpr std::array clocks = {Sign{"kvm-clock", "kvm"}, Sign{"hyperv_clocksource", "hyperv"}, Sign{"xen", "xen"}};

const char* by_firmware(std::string_view vendor, std::string_view product) {
  for (const Sign& sign : firmware_names)
    if (product.starts_with(sign.text) || vendor.starts_with(sign.text)) return sign.kind;
  return nullptr;
}

// Whether the processor says that a hypervisor runs it. Only x86 has such a flag.
Flag hypervisor_flag(const Files& files) {
  return files.read("/proc/cpuinfo", 16 << 20).then([](const std::string& text) -> Flag {
    for (const auto line : lines_of(text)) {
      if (!line.starts_with("flags")) continue;
      const auto words = words_of(line);
      return std::ranges::find(words, "hypervisor") != words.end();
    }
    return absent("the processor has no such flag");
  });
}

// gVisor answers for a kernel of its own, always with the same release and date of building.
bool is_gvisor(std::string_view version) {
  return version.find("gvisor") != std::string_view::npos ||
         version.find("Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016") != std::string_view::npos;
}

}  // namespace

Text read_virtualization(const Files& files) {
  const auto version = read_line(files, "/proc/version");
  if (version.get() && is_gvisor(*version.get())) return std::string("gvisor");
  const Text vendor = read_line(files, "/sys/class/dmi/id/sys_vendor");
  const Text product = read_line(files, "/sys/class/dmi/id/product_name");
  if (vendor.is("Amazon EC2") && product.get())
    return std::string(product.get()->find(".metal") != std::string::npos ? "none" : "kvm");
  if (const char* kind = by_firmware(vendor.get() ? *vendor.get() : "", product.get() ? *product.get() : ""))
    return std::string(kind);
  if (const auto type = read_line(files, "/sys/hypervisor/type"); type.get()) return type;
  const auto clock = read_line(files, "/sys/devices/system/clocksource/clocksource0/available_clocksource");
  if (const std::string* names = clock.get())
    for (const auto word : words_of(*names))
      for (const Sign& sign : clocks)
        if (word.starts_with(sign.text)) return std::string(sign.kind);
  if (vendor.get() && product.get()) return std::string("none");
  // Last, since a kernel takes tens of milliseconds to write this file for hundreds of processors.
  const Flag flag = hypervisor_flag(files);
  if (flag.is(false)) return std::string("none");
  if (flag.is(true)) return std::string("unknown");
  return failed("neither the processor nor the firmware tells");
}

}  // namespace envdoctor
