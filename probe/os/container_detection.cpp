#include "probe/os/os_facts.h"

#include <algorithm>
#include <array>

#include "host/text.h"
#include "probe/os/mounts.h"

namespace envdoctor {

namespace {

// The files that a container runtime mounts identify it even where it left no other mark.
std::string by_mounts(const std::vector<Mount>& mounts) {
  for (const Mount& mount : mounts) {
    if (mount.point == "/dev/termination-log") return "kubernetes";
    if (mount.point == "/etc/hosts" && contains(mount.root, "kubelet/pods/")) return "kubernetes";
    if (mount.point == "/etc/hosts" && contains(mount.root, "/docker/containers/")) return "docker";
  }
  if (const Mount* top = mount_of(mounts, "/"); top && top->type == "overlay") {
    if (contains(top->options, "containerd.snapshotter")) return "containerd";
    if (contains(top->options, "/docker/overlay2")) return "docker";
    if (contains(top->options, "/containers/storage/")) return "podman";
  }
  return {};
}

// A virtual machine made from a container's image keeps the marks that its runtime left in files. In such a machine,
// the root is a whole disk and kernel threads are visible; in a container at most one of the two is true.
bool is_whole_machine(const Files& files, const std::vector<Mount>& mounts) {
  const Mount* top = mount_of(mounts, "/");
  return top && top->root == "/" && top->source.starts_with("/dev/") &&
         !top->source.starts_with("/dev/mapper/docker") && read_line(files, "/proc/2/comm").is("kthreadd");
}

std::string by_cgroup(std::string_view membership) {
  if (contains(membership, "kubepods")) return "kubernetes";
  if (contains(membership, "libpod")) return "podman";
  if (contains(membership, "/docker/") || contains(membership, "docker-")) return "docker";
  if (contains(membership, "/lxc/") || contains(membership, "lxc.payload")) return "lxc";
  return {};
}

// `container=` as the first process was given it: a name such as lxc, podman, systemd-nspawn.
std::string declared(const Host& host) {
  if (const auto own = host.env.find("container"); own != host.env.end() && !own->second.empty()) return own->second;
  if (const auto noted = read_line(host.files, "/run/systemd/container"); noted.get()) return *noted.get();
  const auto first = host.files.read("/proc/1/environ");
  for (const auto entry : pieces(first.or_empty(), '\0'))
    if (entry.starts_with("container=")) return std::string(entry.substr(10));
  return {};
}

bool is_a_name(std::string_view text) {
  return !text.empty() && text.size() < 32 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == text.npos;
}

}  // namespace

Text read_container(const Host& host) {
  const Files& files = host.files;
  const auto is_set = [&](const char* name) { return host.env.contains(name); };
  const auto exists = [&](const char* path) { return files.status(path).get() != nullptr; };
  const auto mounts = read_mounts(files);
  const std::string mounted = by_mounts(mounts.or_empty());
  const bool marks_count = !is_whole_machine(files, mounts.or_empty());
  const auto membership = files.read("/proc/self/cgroup");
  const std::string grouped = by_cgroup(membership.or_empty());
  const auto is = [&](const char* kind) { return mounted == kind || grouped == kind; };
  if (is_set("KUBERNETES_SERVICE_HOST") || is("kubernetes")) return std::string("kubernetes");
  if (exists("/.singularity.d") || is_set("SINGULARITY_NAME") || is_set("APPTAINER_NAME"))
    return std::string("singularity");
  if ((marks_count && exists("/run/.containerenv")) || is("podman")) return std::string("podman");
  if ((marks_count && exists("/.dockerenv")) || is("docker")) return std::string("docker");
  const std::string own = declared(host);
  if (own.starts_with("lxc") || is("lxc")) return std::string("lxc");
  if (is_a_name(own) && own != "wsl") return own;
  if (!mounted.empty()) return mounted;
  if (!mounts.get() && !membership.get()) return failed("no mark of a container, but " + mounts.why());
  return std::string("none");
}

namespace {

struct Sign {
  const char* text;
  const char* kind;
};

// Prefixes of the vendor or product name in the firmware.
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

// Whether the processor reports a hypervisor. Only x86 has such a flag.
Flag hypervisor_flag(const Files& files) {
  return files.read("/proc/cpuinfo", 16 << 20).then([](const std::string& text) -> Flag {
    const auto flags = value_of(text, "flags");
    if (!flags) return absent("the processor has no such flag");
    return std::ranges::count(words_of(*flags), "hypervisor") > 0;
  });
}

// gVisor emulates a kernel and always reports the same release and build date.
bool is_gvisor(std::string_view version) {
  return contains(version, "gvisor") || contains(version, "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016");
}

}  // namespace

Text read_virtualization(const Files& files) {
  if (is_gvisor(read_line(files, "/proc/version").or_empty())) return std::string("gvisor");
  const Text vendor = read_line(files, "/sys/class/dmi/id/sys_vendor");
  const Text product = read_line(files, "/sys/class/dmi/id/product_name");
  if (vendor.is("Amazon EC2") && product.get()) return std::string(contains(*product.get(), ".metal") ? "none" : "kvm");
  for (const Sign& sign : firmware_names)
    if (product.or_empty().starts_with(sign.text) || vendor.or_empty().starts_with(sign.text))
      return std::string(sign.kind);
  if (const auto type = read_line(files, "/sys/hypervisor/type"); type.get()) return type;
  const auto clock = read_line(files, "/sys/devices/system/clocksource/clocksource0/available_clocksource");
  for (const auto word : words_of(clock.or_empty()))
    for (const Sign& sign : clocks)
      if (word.starts_with(sign.text)) return std::string(sign.kind);
  if (vendor.get() && product.get()) return std::string("none");
  // Last, since a kernel takes tens of milliseconds to write this file for hundreds of processors.
  const Flag flag = hypervisor_flag(files);
  if (flag.is(false)) return std::string("none");
  if (flag.is(true)) return std::string("unknown");
  return failed("neither the processor nor the firmware identifies a hypervisor");
}

}  // namespace envdoctor
