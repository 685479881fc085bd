#pragma once
// The GPUs of this host by number, from the kernel's files only: takes a millisecond and no vendor library.
#include <cstdint>
#include <string>
#include <vector>

#include "host/files/files.h"

namespace envdoctor {

struct ListedGpu {
  std::string vendor{};    // nvidia, amd, intel
  std::int64_t index = 0;  // as numbered by nvidia-smi, rocm-smi and Level Zero in PCI order
  std::string uuid{};      // empty: the kernel doesn't show it
  std::string address{};
};

// NVIDIA's in bus order, AMD's in KFD's order, Intel's in bus order. A vendor whose driver shows none has none here,
// as on WSL2.
std::vector<ListedGpu> list_gpus(const Files& files);

}  // namespace envdoctor
