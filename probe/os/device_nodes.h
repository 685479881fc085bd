#pragma once
// The host's GPU device nodes, and their owners.
#include <vector>

#include "evidence/pci.h"
#include "host/files/files.h"

namespace envdoctor {

// Sorted by path. `accessible` is not probed where the node may be opened to find out, and is set where it may not be
// opened.
std::vector<DeviceNode> list_nodes(const Files& files);

}  // namespace envdoctor
