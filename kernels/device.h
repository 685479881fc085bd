#pragma once
// One device that computes, behind one seam: OpenCL, the CUDA driver and plain C++ alike. For use in a child only.
//
// The order of calls: build once, load a plan, then run it as often as wanted: nothing is copied between runs, so that
// run() can be timed. Every call throws DeviceError.
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/copy.h"
#include "kernels/kernel.h"
#include "kernels/peak.h"

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
class NotOffered : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// Something that build() can do without: if results are right then, it is to blame.
struct Switch {
  std::string option{};  // for build()
  std::string cause{};   // the word of naming.h
  std::string text{};    // "right without cuDNN"
};

struct DeviceFacts {
  std::string subject{};       // "opencl:Portable Computing Language/pthread-…", "cuda:0", "host"
  std::string backend{};       // opencl, cuda, host
  std::string math_library{};  // whose sin() its kernels use: "the driver's compiler", "libclc in our PTX", "libm"
  bool on_host_cores = false;  // it computes on the cores that references need
  std::vector<Variant> variants{};
  Abilities abilities{};
  Clues clues{};               // from which its peak is computed
  std::vector<Switch> switches{};
};

struct Ran {
  double wall_ms = 0;                // from before the first step until all have ended
  std::optional<double> event_ms{};  // by the device's own clock; not checked against the wall
};

struct Contents {
  std::vector<std::byte> bytes{};
  bool guard_intact = true;  // nothing was written before or behind the buffer
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual const DeviceFacts& facts() const = 0;
  // Makes these kernels ready, with `options` for the compiler ("-cl-opt-disable"); what was built before is forgotten.
  virtual void build(const std::vector<const Kernel*>& kernels, const std::string& options) = 0;
  // Takes memory for the plan's buffers and copies the inputs; what was loaded before is forgotten.
  virtual void load(const Plan& plan, const std::vector<Array>& inputs) = 0;
  // Fills what is no input, and a guard band before and behind every buffer, with poison_word.
  virtual void poison() = 0;
  // Runs the loaded plan `times` times, one after the other, and waits for the last to end.
  virtual Ran run(int times) = 0;
  virtual Contents read(int buffer) = 0;  // index into Plan::buffers
  // Copies the input of this index in again: what each run of a real program would have to send.
  virtual void send(int input, const Array& array) = 0;
  // Null: the device has no such copies. Not to be used any more once the device is gone.
  virtual std::unique_ptr<Copy> copy(const CopySpec& /*spec*/) { return nullptr; }
  // How the last run was done, in the device's own words: "cuDNN"; empty: it doesn't say.
  [[nodiscard]] virtual std::string mode() const { return ""; }
};

struct OpenOptions {
  std::function<void(const std::string&)> trace{};  // told the name of a call before it is made
  std::string (*code_name)(std::string_view api, std::int64_t code) = nullptr;  // "CL_OUT_OF_RESOURCES"; empty: unknown
  std::size_t vector_bytes = 0;                     // instead of what the device says of its registers
  std::size_t guard_bytes = 4096;                   // before and behind each buffer; 0 where a simulator watches the edges
};

// Which device: what a parent that loads no driver knows of it.
struct Target {
  std::string subject{};
  std::string backend{};      // opencl, cuda, host, framework
  std::string library{};      // opencl: the driver's file, or a libOpenCL; cuda: libcuda's; framework: its name
  bool through_loader = false;  // opencl: the library is a libOpenCL, with the layers that the user put in
  std::string platform{};     // opencl: its name
  int platform_index = 0;     // opencl: among the platforms of this driver
  int index = 0;              // opencl: among the devices of that platform; cuda: the ordinal
  std::string gpu{};          // PCI address; empty: not known
  bool is_cpu = false;
  std::string device{};       // framework: as it calls the device, "GPU:0"
  std::vector<std::string> command{}, environment{};  // framework: what is started, and its variables, all of them
};

std::unique_ptr<Device> open_opencl(const Target& target, const OpenOptions& options);
// `lie` is given each buffer after each step, with the step's function: for tests that must see a lie found out.
using Lie = std::function<void(const Step& step, int buffer, std::span<std::byte> bytes)>;
std::unique_ptr<Device> open_host(const OpenOptions& options, Lie lie = {});
std::unique_ptr<Device> open_cuda(const Target& target, const OpenOptions& options);
std::unique_ptr<Device> open_framework(const Target& target, const OpenOptions& options);
// On an API of a test's making.
std::unique_ptr<Device> cuda_device(std::unique_ptr<cuda::ComputeApi> api, const Target& target, const OpenOptions& options);
std::unique_ptr<Device> open_device(const Target& target, const OpenOptions& options);  // by its backend

}  // namespace envdoctor::kernels
