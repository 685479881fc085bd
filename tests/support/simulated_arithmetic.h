#pragma once
// A device that computes dot products in an arithmetic of our choice.
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "kernels/classify/precision_probes.h"
#include "kernels/classify/replay.h"
#include "kernels/core/random.h"

namespace envdoctor::kernels {

struct Arithmetic {
  std::string cause;  // the expected classification
  std::function<double(double)> input = [](double x) { return x; };
  std::function<double(double)> sum = [](double x) { return static_cast<double>(static_cast<float>(x)); };
  int lanes = 1;
};

inline std::vector<Arithmetic> all_arithmetics() {
  const auto narrow = [](int bits, Rounding rounding) {
    return [=](double x) { return rounded_to_bits(x, bits, rounding); };
  };
  return {{.cause = ""},
          {.cause = "", .lanes = 16},
          {.cause = "tf32-inputs", .input = narrow(11, Rounding::nearest), .lanes = 16},
          {.cause = "tf32-inputs", .input = narrow(11, Rounding::away)},
          {.cause = "tf32-inputs", .input = narrow(11, Rounding::truncated)},
          {.cause = "bf16-inputs", .input = narrow(8, Rounding::nearest)},
          {.cause = "bf16-inputs", .input = narrow(8, Rounding::truncated)},
          {.cause = "fp16-inputs", .input = rounded_to_half, .lanes = 16},
          {.cause = "fp16-accumulator", .input = rounded_to_half, .sum = rounded_to_half},
          {.cause = "truncating-accumulator", .sum = narrow(24, Rounding::truncated)}};
}

// In `lanes` partial sums, then one after the other. Each product is fused into its sum.
inline double dot_in(const Arithmetic& arithmetic, const Terms& terms) {
  std::vector<double> partial(static_cast<std::size_t>(arithmetic.lanes));
  for (std::size_t p = 0; p < terms.a.size(); ++p) {
    double& sum = partial[p % partial.size()];
    sum = arithmetic.sum(sum + arithmetic.input(terms.a[p]) * arithmetic.input(terms.b[p]));
  }
  double total = 0;
  for (const double part : partial) total = arithmetic.sum(total + part);
  return total;
}

inline MeasuredPrecision measured(const Arithmetic& arithmetic, Precision precision = Precision::fp32) {
  std::vector<double> answers;
  for (const PrecisionProbe& layer : precision_probes(precision)) answers.push_back(dot_in(arithmetic, layer.terms));
  return *measured_precision(precision, answers);
}

// `count` dot products of length k on normal data.
inline Operation dots_of(std::int64_t k, std::uint64_t seed) {
  const auto count = static_cast<std::uint64_t>(k);
  return {.depth = k, .terms = [=](std::size_t element) {
            Terms terms;
            for (std::uint64_t p = 0; p < count; ++p) {
              terms.a.push_back(static_cast<float>(normal(seed, 0, element * count + p)));
              terms.b.push_back(static_cast<float>(normal(seed, 1, element * count + p)));
            }
            return terms;
          }};
}

}  // namespace envdoctor::kernels
