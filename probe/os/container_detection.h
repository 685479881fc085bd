#pragma once
// What this system runs in: a container, a virtual machine.
#include "evidence/fields.h"
#include "host/host.h"

namespace envdoctor {

// kubernetes, podman, singularity, docker, lxc, containerd, another name that a container gave itself, or none.
Text read_container(const Host& host);
// kvm, vmware, hyperv, xen, virtualbox, gvisor, …, "unknown" where only the processor says that there is one; none.
Text read_virtualization(const Files& files);

}  // namespace envdoctor
