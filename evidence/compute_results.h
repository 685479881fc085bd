#pragma once
// What reference kernels, and frameworks, computed on a device: agreement and time.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/fields.h"

namespace envdoctor {

// How a result is wrong, as far as trials could determine.
enum class WrongResult {
  out_of_bounds,     // memory beside the output was overwritten
  not_written,       // parts of the output were never written
  nondeterministic,  // other values in each run, and no free order explains them
  order,             // other bits in each run, as sums in a free order give them (float atomics)
  bit_flip,          // single bits turned
  tile,              // one block of the output
  tf32_inputs,
  bf16_inputs,
  fp16_inputs,
  fp32_inputs,
  narrow_inputs,  // 11 bits: TF32 or fp16
  fp16_accumulator,
  narrow_accumulator,
  truncating_accumulator,
  flush_to_zero,  // subnormal numbers became zero
  fast_math,
  size_limit,    // right up to a size and wrong above
  miscompiled,   // right when built without optimisation
  unstable,      // plain arithmetic on the CPU is as far off
  cudnn,         // right without cuDNN
  onednn,        // right without oneDNN
  lost_terms,    // one term of each sum is missing
  barrier,       // items of a group don't wait for each other
  tail,          // the end of the output
  columns,       // whole columns
  other_index,   // right values at wrong places
  not_a_number,  // NaN or infinity where a number belongs
  zeros,
  scaled,              // off by one factor
  stale,               // the results of earlier inputs
  transfer,            // bytes that were sent or read back did not arrive
  inputs_overwritten,  // a launch wrote into its inputs
  last_element,        // nothing but the last element
  moved_count,         // counts stand in other bins: their sum is right
  lost_additions,      // sums or counts lack whole terms, as where atomics overwrite each other
  zero_sign,           // +0 for -0, or -0 for +0
  function,            // one function is inexact: exp
  rounding_mode,       // single operations are rounded another way than to nearest
  other_calculation,   // the same at every size, in every run, with and without optimisation
  unnamed,             // outside the bound, cause unknown
};

std::string_view text(WrongResult value);  // "tf32-inputs", as the file format spells it
std::optional<WrongResult> wrong_result_of(std::string_view text);

struct ComputeSample {
  Number index{};
  Text got{};  // the element's bits, "0x3f800000"
  Text expected{};
  ENVDOCTOR_FIELDS(ComputeSample, index, got, expected)
};

struct Agreement {
  Text outcome{};  // same-bits, within-bound, outside, not-trustworthy
  Real max_ulp{};
  Real error_over_bound{};             // the largest; 1 is the last legal value
  Text bound{};                        // probable: outside of what chance explains, twice, and not of the worst case
  List<std::int64_t> ulp_histogram{};  // elements with a difference of 0, <=1, <=2, <=4, … <=2^k ulp; last: more
  Number wrong{};                      // elements outside
  Number elements{};
  Text pattern{};       // what it looks like: "tf32 inputs", "one bit of one word", "a 64 x 16 tile", …
  Text cause{};         // a WrongResult, "tf32-inputs"; absent where nothing had to be named
  Text confirmed_by{};  // what made the name sure: "replay", "precision probes", "repeat", "without optimisation", …
  List<ComputeSample> samples{};  // eight of the wrong elements
  ENVDOCTOR_FIELDS(Agreement, outcome, max_ulp, error_over_bound, bound, ulp_histogram, wrong, elements, pattern, cause,
                   confirmed_by, samples)

  [[nodiscard]] std::optional<WrongResult> kind() const;  // `cause`; none: not given, or a word from elsewhere
};

// Median and the distribution-free interval of it; wall clock, one run of the kernel.
struct ComputeTime {
  Real median_ms{};
  Real low_ms{};
  Real high_ms{};
  Real p10_ms{};
  Real p90_ms{};
  Real event_ms{};  // the device's own clock, only where it survives the cross-check with the wall clock
  Number samples{};
  ENVDOCTOR_FIELDS(ComputeTime, median_ms, low_ms, high_ms, p10_ms, p90_ms, event_ms, samples)
};

struct ComputeRate {
  Real value{};
  Text unit{};  // GB/s, GFLOP/s, Gop/s
  ENVDOCTOR_FIELDS(ComputeRate, value, unit)
};

struct ComputeResult {
  Text device{};   // a subject: "opencl:Portable Computing Language/pthread-…", "cuda:0", "host"
  Text backend{};  // opencl, cuda, host, framework
  Text kernel{};
  Text precision{};
  Map<std::int64_t> size{};
  Number seed{};
  Text variant{};       // cpu, gpu: which way the kernel is written
  Text math_library{};  // whose functions it used: "the driver's compiler", "libclc in our PTX", "libm"
  Real flops{};
  Real bytes{};
  Reading<Agreement> agreement{};
  Flag repeatable{};  // the same bits in every repeat
  Text digest{};      // of the outputs' bits: equal on devices of one kind
  Real host_cores{};  // cores of this host that were busy while the device, by its own words no CPU, computed
  Text mode{};        // the arithmetic that ran: "fused, subnormals kept, to nearest"
  Number limit{};     // compute.size-limit: the largest size that is right
  Reading<ComputeTime> time{};
  Reading<ComputeRate> rate{};
  Real share_of_peak{};
  Text peak_origin{};  // what the peak was computed from
  ENVDOCTOR_FIELDS(ComputeResult, device, backend, kernel, precision, size, seed, variant, math_library, flops, bytes,
                   agreement, repeatable, digest, host_cores, mode, limit, time, rate, share_of_peak, peak_origin)
};

// "k=64 m=64 n=64", sorted by name.
std::string full_size(const std::map<std::string, std::int64_t>& size);
// "gemm fp32 k=64 m=64 n=64", as findings, comparisons and progress call a problem.
std::string full_problem_name(std::string_view kernel, std::string_view precision,
                              const std::map<std::string, std::int64_t>& size);
std::string full_problem_name(const ComputeResult& result);

// The same for tables: "k=m=n=1024", "n=4Mi rounds=512": sizes of one alone are left out, so that "" may come of it.
std::string size_text(const ComputeResult& result);

// What a device had to do, so that equal names are equal work: "gemm fp32 k=m=n=1024", "copy-in pageable bytes=64Mi".
std::string problem_name(const ComputeResult& result);

// The median in milliseconds; nothing if the row wasn't timed or was refused.
const double* median_ms(const ComputeResult& result);

struct ComputeNotRun {
  Text device{};
  Text kernel{};
  Text precision{};
  Text why{};
  ENVDOCTOR_FIELDS(ComputeNotRun, device, kernel, precision, why)
};

}  // namespace envdoctor
