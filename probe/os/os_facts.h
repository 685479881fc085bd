#pragma once
// Which operating system this is.
#include <string_view>

#include "evidence/fields.h"
#include "evidence/host_facts.h"
#include "host/host.h"

namespace envdoctor {

// PRETTY_NAME of an os-release text, unquoted as a shell would; NAME and VERSION_ID where it has none.
Text os_name(std::string_view os_release);
Text read_os(const Files& files);
// "linux", "wsl2"; "wsl1" has no GPU at all.
Text read_platform(const Files& files, const Text& kernel);
// "x86_64", "aarch64", …
Text read_arch(const Host& host);
// Whether the firmware only starts signed kernels.
Flag read_secure_boot(const Files& files);

// How far the kernel is locked down, from the security file system.
Text read_lockdown(const Files& files);

// The identity and the limits of this process.
// From the text of /proc/self/status: effective ids.
Reading<User> parse_user(std::string_view status);
// From the text of /proc/self/limits: soft limits.
Reading<Ulimits> parse_ulimits(std::string_view limits);
// Size of /dev/shm.
Number read_shm_mib(const Host& host);

// kubernetes, podman, singularity, docker, lxc, containerd, another name from the container= variable, or none.
Text read_container(const Host& host);
// kvm, vmware, hyperv, xen, virtualbox, gvisor, …, "unknown" where only the processor says that there is one; none.
Text read_virtualization(const Files& files);

// The tightest limits from this process's own group up to the topmost visible one, of version 1 and 2.
Reading<Cgroup> read_cgroup(const Files& files);

// "max 100000" -> absent, "250000 100000" -> 2.5.
Real cpu_max(std::string_view text);

}  // namespace envdoctor
