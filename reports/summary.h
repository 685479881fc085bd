#pragma once
#include <string>

#include "evidence/snapshot.h"

namespace envdoctor {

// Two to five lines: what this host is and what software for computing it has. Only what is known.
std::string host_summary(const Snapshot& snapshot);

// "PoCL 3.1 (cpu), rusticl (no device)": the OpenCL platforms in a line; empty: none known.
std::string opencl_line(const Snapshot& snapshot);

}  // namespace envdoctor
