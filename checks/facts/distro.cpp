#include "checks/facts/distro.h"

#include "checks/facts/facts.h"

namespace envdoctor {
namespace {

bool on_plain_linux(const Snapshot& snapshot) {
  return of(snapshot.host, &HostFacts::platform).is("linux") && in_container(snapshot).is(false);
}

}  // namespace

Distro distro_of(const Snapshot& snapshot) {
  const Text os = of(snapshot.host, &HostFacts::os);
  if (!os.get()) return Distro::unknown;
  const auto is = [&](std::string_view name) { return os.get()->find(name) != std::string::npos; };
  if (is("Ubuntu")) return Distro::ubuntu;
  if (is("Pop!_OS") || is("Linux Mint")) return Distro::ubuntu_like;
  if (is("Debian")) return Distro::debian;
  if (is("Fedora")) return Distro::fedora;
  if (is("Red Hat") || is("Rocky") || is("AlmaLinux") || is("CentOS") || is("Oracle Linux")) return Distro::rhel;
  if (is("SUSE")) return Distro::suse;
  if (is("Arch Linux")) return Distro::arch;
  return Distro::unknown;
}

std::string on_the_host(const Snapshot& snapshot) {
  return in_container(snapshot).is(true) ? "On the host, not in this container: " : "";
}

std::string host_command(const Snapshot& snapshot, std::string command) {
  return on_plain_linux(snapshot) ? std::move(command) : std::string();
}

std::string install_nvidia_driver(const Snapshot& snapshot) {
  switch (distro_of(snapshot)) {
    case Distro::ubuntu:
      return host_command(snapshot, "sudo ubuntu-drivers install");
    case Distro::debian:
      return host_command(snapshot, "sudo apt-get install nvidia-driver");
    default:
      return {};
  }
}

std::string install_kernel_headers(const Snapshot& snapshot) {
  const Text kernel = of(snapshot.host, &HostFacts::kernel);
  if (!kernel.get()) return {};
  switch (distro_of(snapshot)) {
    case Distro::ubuntu:
    case Distro::ubuntu_like:
    case Distro::debian:
      return host_command(snapshot, "sudo apt-get install linux-headers-" + *kernel.get());
    case Distro::fedora:
    case Distro::rhel:
      return host_command(snapshot, "sudo dnf install kernel-devel-" + *kernel.get());
    default:
      return {};
  }
}

}  // namespace envdoctor
