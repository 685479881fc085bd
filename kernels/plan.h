#pragma once
// What a device is to do, as data: the same plan runs through OpenCL, the CUDA driver or plain C++ on the host.
#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/array.h"

namespace envdoctor::kernels {

// The two ways to write a kernel (one reference, one bound): long items with private vectors for CPUs, many small items
// with local memory for GPUs. Which one a device gets is tried out, not read off its type.
enum class Variant { cpu, gpu };

struct BufferSpec {
  std::size_t bytes = 0;
  int input = -1;          // index into the inputs that are copied in; -1: filled with poison before each run
};

struct BufferArgument { int buffer = 0; };       // index into Plan::buffers
struct LocalArgument { std::size_t bytes = 0; };  // local (shared) memory
using Argument = std::variant<BufferArgument, LocalArgument, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double>;

struct Step {
  std::string function{};                       // "triad_fp32_gpu": a function of kernels/cl/*.cl and of the host device
  std::array<std::size_t, 3> global{1, 1, 1};   // work-items in all
  std::array<std::size_t, 3> local{1, 1, 1};    // work-items per group; divides global
  std::vector<Argument> arguments{};
};

struct Plan {
  std::vector<BufferSpec> buffers{};
  std::vector<Step> steps{};                    // run in order, each after the one before has ended
  std::vector<int> outputs{};                   // the buffers that hold the answer
};

}  // namespace envdoctor::kernels
