#pragma once
// Packages, cores and NUMA nodes, and where the GPUs are attached.
#include <vector>

#include "evidence/snapshot.h"
#include "host/files/files.h"

namespace envdoctor {

// By hwloc; use in a child, since hwloc takes its root and its components from variables of the process.
// `root` is "/" for the live host. Fills in sections cpu (the counts) and topology (packages and NUMA nodes).
Snapshot read_with_hwloc(const std::string& root);

// The bridges above each GPU and the package that it is attached to, from sysfs.
List<GpuPath> gpu_paths(const Files& files, const List<PciDevice>& gpus);

}  // namespace envdoctor
