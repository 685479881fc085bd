#pragma once
#include "evidence/fields.h"

namespace envdoctor {

struct Captured {
  Text at{};  // RFC 3339, UTC
  Text by{};  // "envdoctor 0.1.0"
  Number duration_ms{};
  ENVDOCTOR_FIELDS(Captured, at, by, duration_ms)
};

struct ProbeError {
  Text kind{};  // timeout, crash, missing, denied, malformed
  Text message{};
  Text culprit{};  // the file or library to blame
  ENVDOCTOR_FIELDS(ProbeError, kind, message, culprit)
};

struct ProbeStatus {
  Text status{};  // ok, failed, skipped
  Number duration_ms{};
  Reading<ProbeError> error{};
  ENVDOCTOR_FIELDS(ProbeStatus, status, duration_ms, error)
};

struct User {
  Number uid{};
  List<std::int64_t> groups{};  // effective and supplementary group ids
  ENVDOCTOR_FIELDS(User, uid, groups)
};

struct Cgroup {
  Number version{};     // 1 or 2
  Real cpus{};          // quota over period; absent: no limit
  Number memory_mib{};  // absent: no limit
  List<std::string>
      devices{};  // v1 rules as written, such as "c 195:* rwm"; v2 keeps them in a BPF program that can't be read
  ENVDOCTOR_FIELDS(Cgroup, version, cpus, memory_mib, devices)
};

// Soft limits of this process; absent: unlimited.
struct Ulimits {
  Number memlock_mib{};
  Number address_space_mib{};
  Number open_files{};
  Number processes{};
  ENVDOCTOR_FIELDS(Ulimits, memlock_mib, address_space_mib, open_files, processes)
};

struct HostFacts {
  Text platform{};  // linux, windows, macos, wsl2
  Text os{};
  Text kernel{};
  Text arch{};
  Text container{};       // docker, podman, singularity, kubernetes, lxc, none
  Text virtualization{};  // kvm, vmware, hyperv, xen, gvisor, …, none
  Flag secure_boot{};
  Text lockdown{};  // of the kernel: none, integrity, confidentiality
  Reading<User> user{};
  Number shm_mib{};
  Reading<Cgroup> cgroup{};
  Reading<Ulimits> ulimits{};
  ENVDOCTOR_FIELDS(HostFacts, platform, os, kernel, arch, container, virtualization, secure_boot, lockdown, user,
                   shm_mib, cgroup, ulimits)
};

struct Cpu {
  Text model{};
  List<std::string> isa{};  // avx, avx2, avx512f, … as the kernel names them, GPU-training relevant ones only
  Number sockets{};
  Number cores{};
  Number threads{};
  Number numa_nodes{};
  Number allowed_cpus{};  // how many hardware threads this process may run on
  ENVDOCTOR_FIELDS(Cpu, model, isa, sockets, cores, threads, numa_nodes, allowed_cpus)
};

struct Memory {
  Number total_mib{};
  Number available_mib{};
  ENVDOCTOR_FIELDS(Memory, total_mib, available_mib)
};

struct Package {
  Number index{};
  Number cores{};
  Number threads{};
  ENVDOCTOR_FIELDS(Package, index, cores, threads)
};

struct NumaNode {
  Number index{};
  Number memory_mib{};
  Text cpus{};  // as a list, "0-15,32-47"
  ENVDOCTOR_FIELDS(NumaNode, index, memory_mib, cpus)
};

// A GPU's path to its CPU package: PCI bridges from the root port down.
struct GpuPath {
  Text address{};
  Number numa_node{};
  Number package{};
  List<std::string> bridges{};
  ENVDOCTOR_FIELDS(GpuPath, address, numa_node, package, bridges)
};

struct Topology {
  List<Package> packages{};
  List<NumaNode> numa_nodes{};
  List<GpuPath> gpus{};
  ENVDOCTOR_FIELDS(Topology, packages, numa_nodes, gpus)
};

}  // namespace envdoctor
