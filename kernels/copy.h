#pragma once
// Moving bytes between this host's memory and a device's, and within a device's.
#include <cstddef>
#include <span>
#include <vector>

namespace envdoctor::kernels {

struct Ran;

enum class Way { in, out, on_device };  // host to device, device to host, one place of the device to another

struct CopySpec {
  Way way = Way::in;
  std::size_t bytes = 0;
  bool pinned = false;  // host memory that the driver gave and the device reads by itself; else any memory
};

// Memory for copies of one kind, at both ends. Every call throws DeviceError.
class Copy {
 public:
  virtual ~Copy() = default;
  // Puts `bytes` where they are copied from, and something else where they are copied to.
  virtual void fill(std::span<const std::byte> bytes) = 0;
  // Copies all `times` times, asked for at once, and waits for the last.
  virtual Ran run(int times) = 0;
  virtual std::vector<std::byte> arrived() = 0;
};

}  // namespace envdoctor::kernels
