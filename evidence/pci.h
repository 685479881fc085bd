#pragma once
#include "evidence/fields.h"

namespace envdoctor {

struct PciLink {
  Real speed_gtps{};
  Number width{};
  Real max_speed_gtps{};
  Number max_width{};
  ENVDOCTOR_FIELDS(PciLink, speed_gtps, width, max_speed_gtps, max_width)
};

// A display controller (PCI class 03) or processing accelerator (12), nothing else.
struct PciDevice {
  Text address{};    // 0000:65:00.0
  Text vendor_id{};  // four lower-case hex digits
  Text device_id{};
  Text class_{};  // four hex digits: 0300 VGA, 0302 3D, 0380 display, 1200 accelerator
  Text vendor{};
  Text name{};
  Text driver{};  // absent: none bound
  Number numa_node{};
  Reading<PciLink> link{};
  List<std::int64_t> bars_mib{};  // sizes of the memory BARs that are at least 1 MiB
  Text physical_function{};       // address of the parent, if this is an SR-IOV virtual function
  Number virtual_functions{};     // how many this one has enabled
  ENVDOCTOR_FIELDS(PciDevice, address, vendor_id, device_id, class_, vendor, name, driver, numa_node, link, bars_mib,
                   physical_function, virtual_functions)
};

struct Module {
  Text name{};
  Text version{};  // absent: the module carries none
  ENVDOCTOR_FIELDS(Module, name, version)
};

struct DeviceNode {
  Text path{};
  Text owner{};
  Text group{};  // name, or the bare number where the host has no name for it
  Number gid{};
  Text mode{};        // "0660"
  Flag accessible{};  // this user opened it for reading and writing
  Text error{};       // why not: EACCES (permission), EPERM (cgroup), ENXIO, ENODEV (no device behind it), …
  Number major{};
  Number minor{};
  ENVDOCTOR_FIELDS(DeviceNode, path, owner, group, gid, mode, accessible, error, major, minor)
};

}  // namespace envdoctor
