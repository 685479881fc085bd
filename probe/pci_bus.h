#pragma once
// Which functions the PCI bus shows.
#include "evidence/pci.h"
#include "host/files.h"

namespace envdoctor {

// Every display controller and processing accelerator with address, ids and class, sorted by address: by libpci from
// sysfs, and from the same files without it where libpci gives up. Absent: the host shows no PCI bus.
List<PciDevice> gpus_on_bus(const Files& files);

// The same without libpci.
List<PciDevice> gpus_in_sysfs(const Files& files);

}  // namespace envdoctor
