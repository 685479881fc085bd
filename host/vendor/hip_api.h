#pragma once
// The HIP runtime (libamdhip64.so), the queries that need no struct whose layout differs between releases.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/vendor/vendor_library.h"

namespace envdoctor::hip {

using Code = int;  // a hipError_t unchanged, or one of host/vendor/vendor_library.h
constexpr Code success = 0;

using Device = int;

class Api {
 public:
  virtual ~Api() = default;
  [[nodiscard]] virtual Reading<std::string> library() const = 0;  // the file that was loaded

  virtual Code runtime_version(int& version) = 0;  // 60140092: 6.1.40092
  virtual Code init() = 0;
  virtual Code device_count(int& count) = 0;
  virtual Code device(int ordinal, Device& device) = 0;
  virtual Code name(Device device, std::string& name) = 0;
  virtual Code pci_bus_id(int ordinal, std::string& id) = 0;  // "0000:65:00.0"
  virtual Code memory(Device device, std::uint64_t& bytes) = 0;
};

// The newest release first; the last is where AMD's packages install it, which is not always in the loader's search
// path.
const std::vector<std::string>& sonames();

// Never null: without the library every method answers library_not_found. Use in a child only.
std::unique_ptr<Api> open(const std::vector<std::string>& sonames_or_paths, Trace trace);

}  // namespace envdoctor::hip
