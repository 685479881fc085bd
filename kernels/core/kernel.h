#pragma once
// A reference kernel: claim, inputs, reference with its bound, and how a device computes it. One file each,
// kernels/reference/<name>.cpp, its device source in kernels/cl/<name>.cl, one name in ENVDOCTOR_KERNELS below.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/core/compare_results.h"
#include "kernels/core/plan.h"

namespace envdoctor::kernels {

using Sizes = std::map<std::string, std::int64_t>;  // {"m": 1024, "n": 1024, "k": 1024}, as the report shows them

struct Problem {
  Precision precision = Precision::fp32;
  Sizes size{};
  std::uint64_t seed = 1;
  bool whole_numbers = false;  // inputs are integers so small that no sum of them is rounded, in any order
  bool any_order = false;      // for references: sums may be added in any order, not only in our kernels' order
  bool relaxed = false;        // for references: functions may be as inexact as fast-math options allow

  [[nodiscard]] std::size_t at(const char* name) const { return static_cast<std::size_t>(size.at(name)); }
  [[nodiscard]] std::size_t element_bytes() const { return size_of(precision); }
};

enum class Effort { tiny, quick, full };  // tiny: simulators (Oclgrind); quick: 'check'; full: 'verify'

// The properties of a device that a plan depends on.
struct Capabilities {
  bool fp16 = false, fp64 = false, bf16 = false, tf32 = false;
  std::size_t max_local_items = 256;     // work-items per group
  std::size_t memory_bytes = 0;          // available to us; 0: unknown
  std::size_t largest_buffer_bytes = 0;  // 0: unknown
  std::size_t vector_bytes = 32;         // of a CPU's vector register, for which CPU kernels are written: 32 or 64

  [[nodiscard]] bool has(Precision precision) const {
    return precision == Precision::fp16   ? fp16
           : precision == Precision::bf16 ? bf16
           : precision == Precision::tf32 ? tf32
           : precision == Precision::fp64 ? fp64
                                          : true;
  }
  // Work-items for a group of `most`, a power of two: halved until the device supports the group.
  [[nodiscard]] std::size_t group(std::size_t most) const {
    while (most > 1 && most > max_local_items) most /= 2;
    return most;
  }
};

struct Work {
  double flops = 0;  // floating operations (integer operations for integer kernels) of one run
  double bytes = 0;  // that must move to and from memory in one run
};

// For a run that computes and moves this much per element, for `elements` elements of the problem's precision.
Work work_of(const Problem& problem, std::size_t elements, double flops_each, double moved_each);

// One output element as a dot product of length k: its terms a[i] * b[i], as the exact inputs.
struct Terms {
  std::vector<double> a{}, b{};
};

// The facts about a calculation that are needed to identify its arithmetic, for our kernels and a framework's
// alike.
struct Operation {
  std::int64_t depth = 1;                // k: products or terms summed into one element
  std::int64_t columns = 0;              // the output is a matrix with rows of so many elements; 0: a vector
  std::vector<std::string> functions{};  // that it evaluates: "exp"
  bool row_for_each_function = false;    // one row of the output for each of these
  bool counts = false;                   // into bins: none is lost if their sum is right
  bool order_free = false;               // float atomics: a different order, and different bits, each time
  // The terms of one output element, if the operation is a sum of products; empty: it is not.
  std::function<Terms(std::size_t element)> terms{};
};

struct Kernel {
  const char* name = "";
  const char* claim = "";  // the meaning of a pass, in one sentence
  std::vector<Precision> precisions{};
  std::vector<Sizes> tiny{}, quick{}, full{};                    // the sizes for each effort, smallest first
  std::vector<Sizes> (*sizes_for)(Precision, Effort) = nullptr;  // instead of those, where they depend on the precision
  struct Functions {
    std::vector<Array> (*inputs)(const Problem&) = nullptr;  // deterministic by seed; never zeros, never constant
    std::vector<Expected> (*reference)(const Problem&, const std::vector<Array>& inputs) = nullptr;  // one per output
    Plan (*plan)(const Problem&, Variant, const Capabilities&) = nullptr;
    Work (*work)(const Problem&) = nullptr;
  } functions{};
  // For problems whose full reference would take too long: a spot check, one comparison per output. Null: none.
  std::vector<Comparison> (*spot_check)(const Problem&, const std::vector<Array>& inputs,
                                        const std::vector<Array>& outputs) = nullptr;
  Operation (*describe)(const Problem&, const std::vector<Array>& inputs) = nullptr;  // null: unknown
  const char* grows = nullptr;  // the size to bisect if large ones are wrong: "n"; null: none
  // The terms summed into one element, if integer inputs give exact results; null: there are no such inputs.
  double (*terms)(const Problem&) = nullptr;
  // Rows that are computed independently, in the same way at any place: moved rows must give the same bits, moved.
  struct Rows {
    const char* size = nullptr;  // the size that counts them; null: there are none
    std::vector<int> inputs{};   // that consist of them
    std::size_t block = 1;       // a row is so many of that size
    std::size_t sections = 1;    // the number of consecutive groups of rows, each of a different kind
  } rows{};
  std::string (*mode)(const std::vector<Array>& outputs) =
      nullptr;                                 // the arithmetic that they show, for ComputeResult::mode
  std::map<std::string, HostFunction> host{};  // the functions of its plans for Variant::host

  [[nodiscard]] std::vector<Sizes> sizes(Precision precision, Effort effort) const {
    if (sizes_for) return sizes_for(precision, effort);
    return effort == Effort::tiny ? tiny : effort == Effort::quick ? quick : full;
  }
  [[nodiscard]] std::vector<Array> inputs(const Problem& problem) const { return functions.inputs(problem); }
  [[nodiscard]] std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) const {
    return functions.reference(problem, in);
  }
  [[nodiscard]] Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) const {
    return functions.plan(problem, variant, capabilities);
  }
  [[nodiscard]] Work work(const Problem& problem) const { return functions.work(problem); }
  [[nodiscard]] Operation operation(const Problem& problem, const std::vector<Array>& in) const {
    return describe ? describe(problem, in) : Operation{};
  }
};

// The kernels, in the order in which they run: inputs -> outputs, precisions, and allowed error;
// errors are absolute. Formulas: kernels/core/bounds.h; derivations: docs/numerics.md.
// "bits": exactly the right bits.
//   fp-probe       n single operations -> n               fp16 fp32 fp64   the IEEE result, or ulp_limit()
//   pattern        n words written by index, read back    uint32           bits
//   triad          a = b + s c, n each                    fp16 fp32 fp64   bits of one rounding or of two
//   map            16 functions of n numbers each         fp32 fp64        ulp_limit()
//   reduce         n -> sum, largest, smallest            fp32 fp64 int32  sum_bound(); the other two: bits
//   dot            rows x k, rows x k -> rows             fp16 fp32 fp64   dot_bound()
//   gemm           m x k, k x n -> m x n                  fp16 fp32 fp64   dot_bound(); large ones: freivalds()
//   gemm-exact     the same of 13-bit integers            fp32 fp64 int32  bits
//   gemv           m x k, k -> m                          fp32             dot_bound()
//   conv2d         batch x channels x height x width, 3 x 3 filters  fp16 fp32  dot_bound()
//   softmax        rows x n -> rows x n; logsumexp: rows  fp32             softmax_bounds(), logsumexp_bound()
//   layernorm      rows x n -> rows x n                   fp32             layernorm_bounds()
//   lstm           steps x inputs, states -> steps x hidden, twice  fp32   lstm_step_bound()
//   fft-butterfly  transforms x n complex                 fp32 fp64 int32  fft_relative_bound(); integers: bits
//   scan           n -> n prefix sums                     int32 fp32       bits; sum_bound() of each prefix
//   stencil        height x width, steps times            fp32 uint32      bits
//   sort           n -> n                                 uint32           bits
//   histogram      n -> 256 counts                        uint32           bits
//   float-atomics  n -> sums by bin, in any order         fp32             sum_bound()
//   hash-chain     items, rounds dependent steps          uint32           bits
#define ENVDOCTOR_KERNELS(each)                                                                                     \
  each(fp_probe) each(pattern) each(triad) each(map) each(reduce) each(dot) each(gemm) each(gemm_exact) each(gemv)  \
      each(conv2d) each(softmax) each(layernorm) each(lstm) each(fft_butterfly) each(scan) each(stencil) each(sort) \
          each(histogram) each(float_atomics) each(hash_chain)
#define ENVDOCTOR_DECLARE_KERNEL(name) \
  namespace name {                     \
  extern const Kernel kernel;          \
  }
ENVDOCTOR_KERNELS(ENVDOCTOR_DECLARE_KERNEL)
// Timed only.
ENVDOCTOR_DECLARE_KERNEL(launch)
ENVDOCTOR_DECLARE_KERNEL(fma_peak)

// The same problem on other inputs: integers if the kernel has them and sums of that length stay exact; otherwise
// inputs from another seed.
Problem on_other_inputs(const Kernel& kernel, const Problem& problem, bool whole_numbers);

const std::vector<Kernel>& all_kernels();
// Of all_kernels(); the name must be among them.
const Kernel& kernel_named(std::string_view name);
// The kernels for frameworks: five of these, in the precisions that training uses, at sizes whose bounds are
// meaningful.
const std::vector<Kernel>& framework_kernels();

}  // namespace envdoctor::kernels
