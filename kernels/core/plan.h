#pragma once
// A device's work as data: the same plan runs through OpenCL, the CUDA driver or plain C++ on the host.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/core/array.h"

namespace envdoctor::kernels {

// The ways to write a kernel (one reference, one bound): long items with private vectors for CPUs, many small items
// with local memory for GPUs, plain C++ for the host device. Which of the first two a device uses is measured, not
// derived from its type.
enum class Variant { cpu, gpu, host };
constexpr std::string_view text(Variant variant) {
  return variant == Variant::cpu ? "cpu" : variant == Variant::gpu ? "gpu" : "host";
}

struct BufferSpec {
  std::size_t bytes = 0;
  int input =
      -1;  // index into the inputs that are copied in, and never written by a step; -1: poisoned before each run
};

struct BufferArgument {
  int buffer = 0;
};  // index into Plan::buffers
// Kernels declare the memory that a group shares, with fixed sizes: local memory is no argument.
using Argument = std::variant<BufferArgument, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;

struct Step {
  std::string function{};                      // "triad_fp32_gpu": of kernels/cl/*.cl, or of Kernel::host
  std::array<std::size_t, 3> global{1, 1, 1};  // total of work-items
  std::array<std::size_t, 3> local{1, 1, 1};   // work-items per group; divides global
  std::vector<Argument> arguments{};
};

struct Plan {
  std::vector<BufferSpec> buffers{};
  std::vector<Step> steps{};   // run in order, each after the one before has ended
  std::vector<int> outputs{};  // the buffers that hold the answer
};

// A kernel's name as the prefix of its functions and files: '-' becomes '_'.
std::string identifier(std::string_view kernel);
// "triad_fp32_gpu".
std::string function_name(std::string_view kernel, Precision precision, Variant variant);

// The variant that a device runs of a kernel that is written for both CPUs and GPUs.
constexpr Variant written_once(Variant variant) { return variant == Variant::host ? variant : Variant::gpu; }

// A step of `items` work-items in groups of `group`, rounded up to whole groups.
Step line_of_items(std::string function, std::size_t items, std::size_t group, std::vector<Argument> arguments);

// A plan of one step of `items` work-items in groups of `group`, rounded up to whole groups. Its arguments are all the
// buffers in order, then `scalars`; its outputs are the buffers that hold no input.
Plan one_step_plan(std::string function, std::vector<BufferSpec> buffers, std::vector<Argument> scalars,
                   std::size_t items = 1, std::size_t group = 1);

constexpr std::uint32_t u32(std::size_t count) { return static_cast<std::uint32_t>(count); }

// count / step rounded up, and `count` rounded up to a multiple of `step`.
constexpr std::size_t divide_up(std::size_t count, std::size_t step) { return (count + step - 1) / step; }
constexpr std::size_t round_up(std::size_t count, std::size_t step) { return divide_up(count, step) * step; }

// How the host device calls plain C++: one call does a whole step, on as many threads as it likes (parallel.h).
class HostCall {
 public:
  // `buffers` are the plan's; the step's arguments point into them.
  HostCall(const Step& step, std::span<std::span<std::byte>> buffers) : step_(step), buffers_(buffers) {}

  // The elements of the buffer that argument `index` names.
  template <class T>
  [[nodiscard]] std::span<T> buffer(std::size_t index) const {
    const std::span<std::byte> bytes =
        buffers_[static_cast<std::size_t>(std::get<BufferArgument>(step_.arguments.at(index)).buffer)];
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  [[nodiscard]] T scalar(std::size_t index) const {
    return std::get<T>(step_.arguments.at(index));
  }

 private:
  const Step& step_;
  std::span<std::span<std::byte>> buffers_;
};

using HostFunction = void (*)(const HostCall&);

}  // namespace envdoctor::kernels
