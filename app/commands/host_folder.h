#pragma once
#include <string>

#include "evidence/snapshot.h"
#include "host/host.h"

namespace envdoctor {

// Writes a captured host: the files that the kernel-side probes read (root/, nodes.txt, errors.txt), and snapshot.json
// with the sections that only vendor libraries, the loader and the environment can tell. Redacted unless told
// otherwise. Throws UsageError naming what could not be written.
void write_host_folder(const std::string& folder, const Host& host, const Snapshot& snapshot, bool redact);

}  // namespace envdoctor
