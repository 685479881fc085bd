#include "checks/facts/distro.h"

#include <algorithm>

#include "checks/facts/facts.h"

namespace envdoctor {
namespace {

// Parts of distribution names, specific ones before general ones.
constexpr std::pair<std::string_view, Distro> distributions[] = {
    {"Ubuntu", Distro::ubuntu},     {"Pop!_OS", Distro::ubuntu_like}, {"Linux Mint", Distro::ubuntu_like},
    {"Debian", Distro::debian},     {"Fedora", Distro::fedora},       {"Red Hat", Distro::rhel},
    {"Rocky", Distro::rhel},        {"AlmaLinux", Distro::rhel},      {"CentOS", Distro::rhel},
    {"Oracle Linux", Distro::rhel}, {"SUSE", Distro::suse},           {"Arch Linux", Distro::arch}};

}  // namespace

Distro distro_of(const Snapshot& snapshot) {
  const std::string os = of(snapshot.host, &HostFacts::os).or_empty();
  const auto found =
      std::ranges::find_if(distributions, [&](const auto& one) { return os.find(one.first) != os.npos; });
  return found == std::end(distributions) ? Distro::unknown : found->second;
}

std::string on_the_host(const Snapshot& snapshot) {
  return in_container(snapshot).is(true) ? "On the host, not in this container: " : "";
}

std::string host_command(const Snapshot& snapshot, std::string command) {
  const bool plain = of(snapshot.host, &HostFacts::platform).is("linux") && in_container(snapshot).is(false);
  return plain ? std::move(command) : "";
}

Fix on_host(const Snapshot& snapshot, const std::string& text, std::string command) {
  return {.text = on_the_host(snapshot) + text, .command = host_command(snapshot, std::move(command))};
}

std::string install_nvidia_driver(const Snapshot& snapshot) {
  const Distro distro = distro_of(snapshot);
  if (distro == Distro::debian) return host_command(snapshot, "sudo apt-get install nvidia-driver");
  return distro == Distro::ubuntu ? host_command(snapshot, "sudo ubuntu-drivers install") : "";
}

std::string install_kernel_headers(const Snapshot& snapshot) {
  const std::string kernel = of(snapshot.host, &HostFacts::kernel).or_empty();
  if (kernel.empty()) return {};
  const Distro distro = distro_of(snapshot);
  if (distro == Distro::ubuntu || distro == Distro::ubuntu_like || distro == Distro::debian)
    return host_command(snapshot, "sudo apt-get install linux-headers-" + kernel);
  return distro == Distro::fedora || distro == Distro::rhel
             ? host_command(snapshot, "sudo dnf install kernel-devel-" + kernel)
             : "";
}

}  // namespace envdoctor
