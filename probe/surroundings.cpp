#include "probe/surroundings.h"

#include <algorithm>

#include "probe/mounts.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// What a container runtime mounts over single files tells it apart even where it left no other mark.
const char* by_mounts(const std::vector<Mount>& mounts) {
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
  return nullptr;
}

// A virtual machine made from a container's image keeps the marks that its runtime left in the files. There, the root
// is a whole disk and the kernel's own threads are in sight; in a container at most one of the two holds.
bool is_whole_machine(const Files& files, const std::vector<Mount>& mounts) {
  const Mount* top = mount_of(mounts, "/");
  return top && top->root == "/" && top->source.starts_with("/dev/") &&
         !top->source.starts_with("/dev/mapper/docker") && read_line(files, "/proc/2/comm").is("kthreadd");
}

const char* by_cgroup(std::string_view membership) {
  if (contains(membership, "kubepods")) return "kubernetes";
  if (contains(membership, "libpod")) return "podman";
  if (contains(membership, "/docker/") || contains(membership, "docker-")) return "docker";
  if (contains(membership, "/lxc/") || contains(membership, "lxc.payload")) return "lxc";
  return nullptr;
}

// `container=` as the first process was given it: a name such as lxc, podman, systemd-nspawn.
std::string declared(const Host& host) {
  if (const auto own = host.env.find("container"); own != host.env.end() && !own->second.empty()) return own->second;
  if (const auto noted = read_line(host.files, "/run/systemd/container"); noted.get()) return *noted.get();
  if (const auto first = host.files.read("/proc/1/environ"); first.get())
    for (const auto entry : pieces(*first.get(), '\0'))
      if (entry.starts_with("container=")) return std::string(entry.substr(10));
  return {};
}

bool is_a_name(std::string_view text) {
  return !text.empty() && text.size() < 32 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  });
}

}  // namespace

Text read_container(const Host& host) {
  const Files& files = host.files;
  const auto is_set = [&](const char* name) { return host.env.contains(name); };
  const auto exists = [&](const char* path) { return files.status(path).get() != nullptr; };
  const auto mountinfo = files.read("/proc/self/mountinfo", 8 << 20);
  const auto mounts = parse_mounts(mountinfo.get() ? *mountinfo.get() : "");
  const char* mounted = by_mounts(mounts);
  const bool marks_count = !is_whole_machine(files, mounts);
  const auto membership = files.read("/proc/self/cgroup");
  const char* grouped = membership.get() ? by_cgroup(*membership.get()) : nullptr;
  const auto is = [&](const char* kind) {
    return (mounted && std::string_view(mounted) == kind) || (grouped && std::string_view(grouped) == kind);
  };
  if (is_set("KUBERNETES_SERVICE_HOST") || is("kubernetes")) return std::string("kubernetes");
  if (exists("/.singularity.d") || is_set("SINGULARITY_NAME") || is_set("APPTAINER_NAME"))
    return std::string("singularity");
  if ((marks_count && exists("/run/.containerenv")) || is("podman")) return std::string("podman");
  if ((marks_count && exists("/.dockerenv")) || is("docker")) return std::string("docker");
  const std::string own = declared(host);
  if (own.starts_with("lxc") || is("lxc")) return std::string("lxc");
  if (is_a_name(own) && own != "wsl") return own;
  if (mounted) return std::string(mounted);
  if (!mountinfo.get() && !membership.get()) return failed("no mark of a container, but " + mountinfo.why());
  return std::string("none");
}

}  // namespace envdoctor
