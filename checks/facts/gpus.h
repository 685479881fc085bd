#pragma once
// The GPUs of a host as one list, joined from PCI, the vendors' own software and knowledge of ids.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evidence/snapshot.h"

namespace envdoctor {

enum class Vendor { nvidia, amd, intel, other };

struct Gpu {
  std::string address{};  // 0000:65:00.0; empty where no source gives one
  Vendor vendor = Vendor::other;
  std::string name{};
  std::string device_id{};           // "10de:2330"
  std::string chip{};                // GH100
  std::string architecture{};        // Hopper
  std::string compute_capability{};  // "9.0"; from the driver if it says, else from the chip
  std::string gfx{};                 // AMD
  std::string driver{};              // kernel driver bound; empty: none, or not known (see pci_index)
  bool integrated = false;
  bool granted = true;                        // false: seen on the host, but not given to this container, job or slice
  int pci_index = -1;                         // into snapshot.pci; -1: the bus doesn't show it
  int nvml_index = -1;                        // into snapshot.nvidia.devices
  [[nodiscard]] std::string subject() const;  // "gpu:0000:65:00.0", or "cuda:0" where there is no address
  [[nodiscard]] std::string in_pci(std::string_view field) const;  // "/pci/0/driver"
};

// Sorted by address. Only devices that can compute: management consoles, virtual displays, virtual functions' parents
// that gave all away, and other accelerators are left out.
std::vector<Gpu> gpus_of(const Snapshot& snapshot);

// Its rows in the bus's and in NVML's list; null: none.
const PciDevice* pci_device(const Snapshot& snapshot, const Gpu& gpu);
const NvidiaDevice* nvml_device(const Snapshot& snapshot, const Gpu& gpu);
// The memory in use, in MiB; none: it is not known.
std::optional<std::int64_t> used_mib(const NvidiaDevice& device);

// Determines which of these this container, job or slice was given; marks the others as not granted. Part of gpus_of.
void mark_granted(std::vector<Gpu>& gpus, const Snapshot& snapshot);

// Whether this PCI device counts as a GPU: an NVIDIA, AMD or Intel display controller or processing accelerator.
bool counts_as_gpu(const PciDevice& device);

}  // namespace envdoctor
