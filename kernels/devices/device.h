#pragma once
// The common interface of devices that compute: OpenCL, the CUDA driver and plain C++. Use in a child only.
//
// The order of calls: build once, load a plan, then run it any number of times: nothing is copied between runs, so that
// run() can be timed. Every call throws DeviceError.
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/core/kernel.h"
#include "kernels/devices/peak.h"

namespace envdoctor::cuda {
class ComputeApi;
}

namespace envdoctor::kernels {

// A call that failed: "clBuildProgram: CL_BUILD_PROGRAM_FAILURE".
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// The device has no such operation in this precision.
class Unsupported : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// An optional part that build() can leave out: if results are right without it, it is to blame.
struct Switch {
  std::string option{};  // for build()
  WrongResult kind = WrongResult::unnamed;
  std::string text{};  // "right without cuDNN"
};

struct DeviceFacts {
  std::string subject{};  // "opencl:Portable Computing Language/pthread-…", "cuda:0", "host"
  std::string backend{};  // opencl, cuda, host
  std::string
      math_library{};  // the library of its kernels' functions: "the driver's compiler", "libclc in our PTX", "libm"
  bool on_host_cores = false;  // it computes on the cores that references need
  std::vector<Variant> variants{};
  Capabilities capabilities{};
  DeviceSpecs specs{};  // from which its peak is computed
  std::vector<Switch> switches{};
};

class Stopwatch {
 public:
  [[nodiscard]] double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

struct RunTime {
  double wall_ms = 0;                // from before the first step until all have ended
  std::optional<double> event_ms{};  // by the device's own clock; not checked against the wall
};

struct Contents {
  std::vector<std::byte> bytes{};
  bool guard_intact = true;  // nothing was written before or behind the buffer
  int guard_bits = 0;        // bits of the guard bands that changed
  bool cut = false;          // the end of the band behind it never arrived: memory still has its previous fill
};

// Between this host's memory and the device's, or within the device's.
enum class CopyDirection { to_device, to_host, on_device };

struct CopySpec {
  CopyDirection direction = CopyDirection::to_device;
  std::size_t bytes = 0;
  bool pinned = false;  // host memory from the driver that the device reads directly; otherwise any memory
};

// Memory for copies of one kind, at both ends. Every call throws DeviceError.
class Copy {
 public:
  virtual ~Copy() = default;
  // Writes `bytes` to the source, and something else to the destination.
  virtual void fill(std::span<const std::byte> bytes) = 0;
  // Enqueues `times` copies at once, and waits for the last.
  virtual RunTime run(int times) = 0;
  virtual std::vector<std::byte> arrived() = 0;
};

// Base of copies from and to a device's own memory. One end is there, the other on the host or there as well.
class DeviceCopy : public Copy {
 public:
  void fill(std::span<const std::byte> bytes) final;
  RunTime run(int times) final;
  std::vector<std::byte> arrived() final;

 protected:
  enum class End { near, far };
  explicit DeviceCopy(const CopySpec& spec) : spec_(spec) {}
  virtual void write(End to, std::span<const std::byte> bytes) = 0;
  virtual void read(End from, std::span<std::byte> bytes) = 0;
  virtual void enqueue() = 0;  // one copy
  virtual void finish() = 0;

  CopySpec spec_;
  std::byte* host_ = nullptr;  // the end on the host; null: none
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] const DeviceFacts& facts() const { return facts_; }
  // Makes these kernels ready, with `options` for the compiler ("-cl-opt-disable"); replaces an earlier build.
  virtual void build(const std::vector<const Kernel*>& kernels, const std::string& options) = 0;
  // Allocates the plan's buffers and copies the inputs; replaces an earlier plan.
  virtual void load(const Plan& plan, const std::vector<Array>& inputs) = 0;
  // Fills every buffer that is no input, and a guard band before and after every buffer, with poison_word.
  virtual void poison() = 0;
  // Runs the loaded plan `times` times, one after the other, and waits for the last to end.
  virtual RunTime run(int times) = 0;
  virtual Contents read(int buffer) = 0;  // index into Plan::buffers
  // Copies the input of this index in again: as a real program would for each run.
  virtual void send(int input, const Array& array) = 0;
  // Null: the device has no such copies. Must not outlive the device.
  virtual std::unique_ptr<Copy> copy(const CopySpec& /*spec*/) { return nullptr; }
  // The method of the last run as the device reports it: "cuDNN"; empty: unknown.
  [[nodiscard]] virtual std::string mode() const { return ""; }

 protected:
  DeviceFacts facts_{};
};

// Base of devices with their own buffers: each buffer is between guard bands, which are filled with poison.
class BufferedDevice : public Device {
 public:
  void load(const Plan& plan, const std::vector<Array>& inputs) final;
  void poison() final;
  Contents read(int buffer) final;
  void send(int input, const Array& array) final;

 protected:
  explicit BufferedDevice(std::size_t guard_bytes) : guard_bytes_(guard_bytes) {}
  virtual void release_buffers() = 0;
  // Allocates one more buffer with a guard band behind it and, if the device can, one before it, whose length it
  // returns.
  virtual std::size_t allocate(std::size_t bytes) = 0;
  // Offsets count from the start of the band before the buffer.
  virtual void write_bytes(std::size_t buffer, std::size_t offset, std::span<const std::byte> bytes) = 0;
  virtual void read_bytes(std::size_t buffer, std::span<std::byte> bytes) = 0;

  std::size_t guard_bytes_;
  Plan plan_{};

 private:
  void write_input(std::size_t buffer, const Array& input);
  std::vector<std::size_t> offsets_{};  // of each buffer's first byte
};

// The bytes of an argument for a launch; for a buffer those of `handle(index)`, the device's handle for it.
template <class Handle>
std::span<const std::byte> bytes_of(const Argument& argument, const Handle& handle) {
  if (const auto* buffer = std::get_if<BufferArgument>(&argument))
    return std::as_bytes(std::span(&handle(static_cast<std::size_t>(buffer->buffer)), 1));
  return std::visit([](const auto& value) { return std::as_bytes(std::span(&value, 1)); }, argument);
}

struct OpenOptions {
  std::function<void(const std::string&)> trace{};  // receives the name of each call before it is made
  std::string (*code_name)(std::string_view api, std::int64_t code) = nullptr;  // "CL_OUT_OF_RESOURCES"; empty: unknown
  std::size_t vector_bytes = 0;    // replaces the register size that the device reports
  std::size_t guard_bytes = 4096;  // before and behind each buffer; 0 if a simulator checks the bounds
};

// Identifies a device by facts that a parent without drivers knows.
struct Target {
  std::string subject{};
  std::string backend{};        // opencl, cuda, host, framework
  std::string library{};        // opencl: the driver's file, or a libOpenCL; cuda: libcuda's; framework: its name
  bool through_loader = false;  // opencl: the library is a libOpenCL, with the layers that the user installed
  std::string platform{};       // opencl: its name
  int platform_index = 0;       // opencl: among the platforms of this driver
  int index = 0;                // opencl: among the devices of that platform; cuda: the ordinal
  std::string gpu{};            // PCI address; empty: unknown
  bool is_cpu = false;
  std::string device{};                               // framework: its name for the device, "GPU:0"
  std::vector<std::string> command{}, environment{};  // framework: the command to start, and its whole environment
};

std::unique_ptr<Device> open_opencl(const Target& target, const OpenOptions& options);
// `fault` receives each buffer after each step, with the step's function: for tests that a fault is detected.
using Fault = std::function<void(const Step& step, int buffer, std::span<std::byte> bytes)>;
std::unique_ptr<Device> open_host(const OpenOptions& options, Fault fault = {});
std::unique_ptr<Device> open_cuda(const Target& target, const OpenOptions& options);
std::unique_ptr<Device> open_framework(const Target& target, const OpenOptions& options);
// With an API that a test provides.
std::unique_ptr<Device> cuda_device(std::unique_ptr<cuda::ComputeApi> api, const Target& target,
                                    const OpenOptions& options);
std::unique_ptr<Device> open_device(const Target& target, const OpenOptions& options);  // chosen by its backend

}  // namespace envdoctor::kernels
