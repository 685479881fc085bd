#pragma once
// Compares a device's results with the right ones, for any two arrays, from our kernels or a framework.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evidence/compute_results.h"
#include "kernels/core/array.h"

namespace envdoctor::kernels {

// The right answer: for each element the value and the largest distance from it that legal arithmetic
// can cause. Derived from inputs and shape alone, never from the device's results.
struct Expected {
  Precision precision = Precision::fp32;
  // Floating results: the exact value as an unevaluated sum high + low (low may be empty: zeros), and the bound on
  // |got - value|, absolute; half an ulp is always allowed, so a bound of 0 requires the correctly rounded value.
  // A value of NaN requires a NaN, an infinite one that infinity.
  std::vector<double> value{};
  std::vector<double> low{};
  std::vector<double> bound{};
  // Distances that plain rounding exceeds once in 10^12 such problems, no larger than `bound`; empty: there are none.
  std::vector<double> probable{};
  // Integer and other bit-exact results: exactly these bits. Where set, the fields above may be empty.
  std::optional<Array> exact{};
  // A second pattern that is equally right, element by element (fused against unfused): as `exact`.
  std::optional<Array> also_exact{};
  // The function's value if its subnormal operand was flushed (1/x: infinity), if that is a large change; NaN:
  // no such operand. The sign of a zero or an infinity is free.
  std::vector<double> flushed{};

  // Allocates the values and bounds of `count` elements.
  static Expected bounded(Precision precision, std::size_t count) {
    return {.precision = precision, .value = std::vector<double>(count), .bound = std::vector<double>(count)};
  }
  [[nodiscard]] std::size_t count() const { return exact ? exact->count() : value.size(); }
  // An element's right value, its bound, and its bits.
  [[nodiscard]] double right_value(std::size_t i) const { return exact ? exact->value(i) : value[i]; }
  [[nodiscard]] double bound_of(std::size_t i) const { return bound.empty() ? 0 : bound[i]; }
  [[nodiscard]] std::uint64_t right_bits(std::size_t i) const {
    return exact ? exact->bits(i) : rounded_bits(precision, value[i], low.empty() ? 0 : low[i]);
  }
};

// Outcomes: every element the correctly rounded value: same-bits; every one within its bound: within-bound; one that
// isn't, or a NaN that shouldn't be: outside. If all agree, but more than half of 16 or more elements are zero or
// the same value: not-trustworthy, because hardly anything was tested. Remaining poison is outside.
struct Comparison {
  Agreement agreement{};                  // `pattern` says where the wrong elements are
  std::vector<std::size_t> wrong{};       // their indices, ascending
  std::vector<std::size_t> improbable{};  // within their bound, but beyond the probable bound
  std::size_t flushed = 0;                // right only because a subnormal operand or result may be flushed to zero
  std::size_t poison = 0;                 // never written
  std::size_t not_numbers = 0;            // NaN or infinite where the right answer is finite
  double mean_square_over_bound = 0;  // mean of (error / bound)^2 over elements with a bound: its shape, not its limit
  [[nodiscard]] bool right() const { return wrong.empty(); }
};

// `got` must have the precision and count of `expected`; otherwise the outcome is outside, and `pattern` says so.
// `columns`: the elements in a row of the output, from which the pattern of wrong places is read; 0: a vector.
Comparison compare(const Array& got, const Expected& expected, std::int64_t columns = 0);

// Whether this element is right if subnormal operands and results may become zero (OpenCL's four results), in any
// precision.
bool right_when_flushed(const Array& got, std::size_t index, const Expected& expected);

// Indices at which two runs on the same input differ in their bits.
std::vector<std::size_t> differing(const Array& one, const Array& other);

}  // namespace envdoctor::kernels
