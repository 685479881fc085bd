#pragma once
// The CUDA driver API (libcuda.so.1), the queries that need no context.
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "host/vendor/vendor_library.h"

namespace envdoctor::cuda {

using Code = int;  // a CUresult unchanged, or one of host/vendor/vendor_library.h
constexpr Code success = 0;

using Device = int;
using Uuid = std::array<unsigned char, 16>;

struct Capability {
  int major = 0, minor = 0;
};

class Api {
 public:
  virtual ~Api() = default;
  [[nodiscard]] virtual Reading<std::string> library() const = 0;  // path of the loaded file

  virtual Code driver_version(int& version) = 0;  // 12040; needs no init
  virtual Code init() = 0;
  virtual Code device_count(int& count) = 0;
  virtual Code device(int ordinal, Device& device) = 0;
  virtual Code name(Device device, std::string& name) = 0;
  virtual Code uuid(Device device, Uuid& uuid) = 0;             // of the GPU, or of the MIG slice that represents it
  virtual Code physical_uuid(Device device, Uuid& uuid) = 0;    // of the GPU in any case
  virtual Code pci_bus_id(Device device, std::string& id) = 0;  // "0000:65:00.0"
  virtual Code capability(Device device, Capability& capability) = 0;
  virtual Code memory(Device device, std::uint64_t& bytes) = 0;
};

constexpr const char* soname = "libcuda.so.1";

// Never null: without the library every method answers library_not_found. Use in a child only.
std::unique_ptr<Api> open(const std::string& soname_or_path, Trace trace);

}  // namespace envdoctor::cuda
