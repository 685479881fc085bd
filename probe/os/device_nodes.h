#pragma once
// Which GPU device nodes the host has, and whose they are.
#include <vector>

#include "evidence/pci.h"
#include "host/files/files.h"

namespace envdoctor {

// Sorted by path. `accessible` is not probed where opening the node may tell, and has its answer where it may not.
std::vector<DeviceNode> list_nodes(const Files& files);

}  // namespace envdoctor
