#pragma once
// The index of the probes: one declaration and one line each. A probe collects facts; it never judges them.
#include "probe/session.h"

namespace envdoctor {

void probe_host(Session& session);          // distribution, kernel, container, limits, cgroup, secure boot
void probe_cpu(Session& session);           // model, ISA, cores, NUMA, memory, topology: hwloc in a child
void probe_pci(Session& session);           // GPUs on the bus, bound driver, link: libpci
void probe_modules(Session& session);       // loaded kernel modules
void probe_device_nodes(Session& session);  // /dev nodes and whether this user may open them
void probe_kernel_log(Session& session);    // what the kernel printed about GPUs, where this user may read it
void probe_nvidia(Session& session);        // /proc/driver/nvidia, then NVML and the CUDA driver, a child each
void probe_rocm(Session& session);          // KFD topology, then HIP in a child
void probe_level_zero(Session& session);
void probe_opencl(Session& session);  // loader, registration, one child per ICD, then as an application sees it
void probe_env(Session& session);
void probe_libraries(Session& session);   // which library the dynamic loader would pick, and which copies that shadows
void probe_python(Session& session);      // the environment and its packages, from files
void probe_frameworks(Session& session);  // what its frameworks report: one interpreter each

struct Probe {
  const char* name;
  void (*start)(Session&);
  std::vector<const char*>
      families;       // the diagnosis families that use it; runs if one is requested. Empty: always runs.
  const char* reads;  // for `envdoctor list`
};

const std::vector<Probe>& all_probes();  // defined in probe/probes.cpp

// Runs the requested probes on this host, in parallel.
Snapshot gather(const Host& host, const GatherOptions& options);

}  // namespace envdoctor
