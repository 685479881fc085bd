#pragma once
// Commands for one distribution; empty where it is unknown or the command belongs on another host.
#include <string>

#include "checks/engine/finding.h"
#include "evidence/snapshot.h"

namespace envdoctor {

enum class Distro { unknown, debian, ubuntu, ubuntu_like, fedora, rhel, suse, arch };

Distro distro_of(const Snapshot& snapshot);

// "On the host (not in this container): " inside a container, else nothing.
std::string on_the_host(const Snapshot& snapshot);

// Installs NVIDIA's driver. Empty in a container and outside Linux.
std::string install_nvidia_driver(const Snapshot& snapshot);
// Installs the headers of the running kernel, which DKMS needs to build a module. Empty where the kernel is unknown.
std::string install_kernel_headers(const Snapshot& snapshot);
// `command` where it can be run unchanged: on a Linux host, outside a container and WSL.
std::string host_command(const Snapshot& snapshot, std::string command);
// A fix outside a container: on_the_host and the text, host_command of the command.
Fix on_host(const Snapshot& snapshot, const std::string& text, std::string command = "");

}  // namespace envdoctor
