#pragma once
// What a device is to do, as data: the same plan runs through OpenCL, the CUDA driver or plain C++ on the host.
#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/array.h"

namespace envdoctor::kernels {

// The ways to write a kernel (one reference, one bound): long items with private vectors for CPUs, many small items
// with local memory for GPUs, plain C++ for the host device. Which of the first two a device gets is tried out, not
// read off its type.
enum class Variant { cpu, gpu, host };
std::string_view text(Variant variant);

struct BufferSpec {
  std::size_t bytes = 0;
  int input = -1;          // index into the inputs that are copied in, and never written by a step; -1: poisoned before each run
};

struct BufferArgument { int buffer = 0; };       // index into Plan::buffers
// What kernels share within a group is declared in them, with fixed sizes: local memory is no argument.
using Argument = std::variant<BufferArgument, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;

struct Step {
  std::string function{};                       // "triad_fp32_gpu": of kernels/cl/*.cl, or of Kernel::host
  std::array<std::size_t, 3> global{1, 1, 1};   // work-items in all
  std::array<std::size_t, 3> local{1, 1, 1};    // work-items per group; divides global
  std::vector<Argument> arguments{};
};

struct Plan {
  std::vector<BufferSpec> buffers{};
  std::vector<Step> steps{};                    // run in order, each after the one before has ended
  std::vector<int> outputs{};                   // the buffers that hold the answer
};

// "triad_fp32_gpu"; a '-' of the kernel's name becomes '_'.
std::string function_name(std::string_view kernel, Precision precision, Variant variant);

// The smallest multiple of `step` that is not below `count`.
constexpr std::size_t round_up(std::size_t count, std::size_t step) { return (count + step - 1) / step * step; }

}  // namespace envdoctor::kernels
