#pragma once
// What reference kernels, and frameworks, computed on a device: agreement and time.
#include "evidence/fields.h"

namespace envdoctor {

struct ComputeSample {
  Number index{};
  Text got{};       // the element's bits, "0x3f800000"
  Text expected{};
  ENVDOCTOR_FIELDS(ComputeSample, index, got, expected)
};

struct Agreement {
  Text outcome{};            // same-bits, within-bound, outside, not-trustworthy
  Real max_ulp{};
  Real error_over_bound{};   // the largest; 1 is the last legal value
  List<std::int64_t> ulp_histogram{};  // elements with a difference of 0, <=1, <=2, <=4, … <=2^k ulp; last: more
  Number wrong{};            // elements outside
  Number elements{};
  Text pattern{};            // what it looks like: "tf32 inputs", "one bit of one word", "a 64 x 16 tile", …
  Text cause{};              // one word of kernels/naming.h, "tf32-inputs"; absent where nothing had to be named
  Text confirmed_by{};       // what made the name sure: "replay", "ladder", "repeat", "without optimisation", …
  List<ComputeSample> samples{};  // eight of the wrong elements
  ENVDOCTOR_FIELDS(Agreement, outcome, max_ulp, error_over_bound, ulp_histogram, wrong, elements, pattern, cause,
                   confirmed_by, samples)
};

// Median and the distribution-free interval of it; wall clock, one run of the kernel.
struct ComputeTime {
  Real median_ms{};
  Real low_ms{};
  Real high_ms{};
  Real p10_ms{};
  Real p90_ms{};
  Real event_ms{};           // the device's own clock, only where it survives the cross-check with the wall clock
  Number samples{};
  ENVDOCTOR_FIELDS(ComputeTime, median_ms, low_ms, high_ms, p10_ms, p90_ms, event_ms, samples)
};

struct ComputeRate {
  Real value{};
  Text unit{};               // GB/s, GFLOP/s, Gop/s
  ENVDOCTOR_FIELDS(ComputeRate, value, unit)
};

struct ComputeResult {
  Text device{};             // a subject: "opencl:Portable Computing Language/pthread-…", "cuda:0", "host"
  Text backend{};            // opencl, cuda, host, framework
  Text kernel{};
  Text precision{};
  Map<std::int64_t> size{};
  Number seed{};
  Text variant{};            // cpu, gpu: which way the kernel is written
  Text math_library{};       // whose functions it used: "the driver's compiler", "libclc in our PTX", "libm"
  Real flops{};
  Real bytes{};
  Reading<Agreement> agreement{};
  Flag repeatable{};         // the same bits in every repeat
  Text mode{};               // the arithmetic that ran: "fused, subnormals kept, to nearest"
  Number limit{};            // compute.size-limit: the largest size that is right
  Reading<ComputeTime> time{};
  Reading<ComputeRate> rate{};
  Real share_of_peak{};
  Text peak_origin{};        // what the peak was computed from
  ENVDOCTOR_FIELDS(ComputeResult, device, backend, kernel, precision, size, seed, variant, math_library, flops, bytes,
                   agreement, repeatable, mode, limit, time, rate, share_of_peak, peak_origin)
};

struct ComputeNotRun {
  Text device{};
  Text kernel{};
  Text precision{};
  Text why{};
  ENVDOCTOR_FIELDS(ComputeNotRun, device, kernel, precision, why)
};

}  // namespace envdoctor
