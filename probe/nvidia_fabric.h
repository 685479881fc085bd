#pragma once
// NVSwitch and the daemon that such a host needs before CUDA starts.
#include "evidence/fields.h"
#include "host/files.h"

namespace envdoctor {

// By its device nodes, its driver's folder, or the PCI bus. Absent where no PCI bus is shown.
Flag has_nvswitch(const Files& files);
// Looked for only where there is an NVSwitch, by process name; failed where other processes are hidden.
Flag fabric_manager_runs(const Files& files, const Flag& nvswitch);

}  // namespace envdoctor
