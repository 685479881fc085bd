#pragma once
// The Level Zero loader (libze_loader.so.1) as this program uses it.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/vendor/vendor_library.h"

namespace envdoctor::level_zero {

using Code = int;  // a ze_result_t unchanged, or one of host/vendor/vendor_library.h
constexpr Code success = 0;

struct OpaqueDriver;
struct OpaqueDevice;
using Driver = OpaqueDriver*;
using Device = OpaqueDevice*;

struct Properties {
  unsigned type = 0;  // 1 GPU, 2 CPU, 3 FPGA, 4 memory-copy accelerator, 5 VPU
  std::string name{};
};
struct PciPlace {
  unsigned domain = 0, bus = 0, device = 0, function = 0;
};

class Api {
 public:
  virtual ~Api() = default;
  [[nodiscard]] virtual Reading<std::string> library() const = 0;  // the file that was loaded

  virtual Code init() = 0;
  virtual Code drivers(std::vector<Driver>& drivers) = 0;
  virtual Code devices(Driver driver, std::vector<Device>& devices) = 0;
  virtual Code properties(Device device, Properties& properties) = 0;
  virtual Code pci_place(Device device, PciPlace& place) = 0;
  virtual Code memory(Device device, std::uint64_t& bytes) = 0;  // of all its memories
};

constexpr const char* soname = "libze_loader.so.1";

// Never null: without the library every method answers library_not_found. Use in a child only.
std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace);

}  // namespace envdoctor::level_zero
