#pragma once
// What a device computed against what is right. Any two arrays: our kernels' and a framework's alike.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "evidence/compute.h"
#include "kernels/expected.h"

namespace envdoctor::kernels {

// How the output lies in memory, for telling what a set of wrong places looks like.
struct Layout {
  std::int64_t columns = 0;  // elements in a row of the output; 0: a vector
};

// Outcomes: every element the correctly rounded value: same-bits; every one within its bound: within-bound; one that
// isn't, or a NaN that shouldn't be: outside. Where all agree, but more than half of 16 or more elements are zero or
// one and the same: not-trustworthy, since hardly anything was tried. Poison that stayed is outside.
struct Comparison {
  Agreement agreement{};           // `pattern` says where the wrong elements lie
  std::vector<std::size_t> wrong{};    // their indices, ascending
  std::size_t flushed = 0;         // right only because a subnormal operand or result may be flushed to zero
  std::size_t poison = 0;          // never written
  std::size_t not_numbers = 0;     // NaN or infinite where the right answer is finite
  double mean_square_over_bound = 0;  // mean of (error / bound)^2 over elements with a bound: its shape, not its limit
  [[nodiscard]] bool right() const { return wrong.empty(); }
};

// `got` must have the precision and count of `expected`; anything else is outside, told in `pattern`.
Comparison compare(const Array& got, const Expected& expected, const Layout& layout = {});

// Whether this element is right if subnormal operands and results may become zero (OpenCL's four results), in whatever
// precision.
bool right_when_flushed(const Array& got, std::size_t index, const Expected& expected);

// Upper ends of the histogram's classes in ulp: 0, 1, 2, 4, … 4096; one class more for what lies above.
inline constexpr int histogram_classes = 15;

// Indices at which two runs on the same input differ in their bits.
std::vector<std::size_t> differing(const Array& one, const Array& other);

}  // namespace envdoctor::kernels
