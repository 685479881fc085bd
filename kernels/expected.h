#pragma once
// What a right answer looks like: for each element the value and the largest distance from it that legal arithmetic
// can cause. Derived from inputs and shape alone, never from what the device answered.
#include <optional>
#include <vector>

#include "kernels/array.h"

namespace envdoctor::kernels {

struct Expected {
  Precision precision = Precision::fp32;
  // Floating results: the exact value as an unevaluated sum high + low (low may be empty: zeros), and the bound on
  // |got - value|, absolute; half an ulp is always allowed, so that a bound of 0 asks for the correctly rounded value.
  // A value of NaN asks for a NaN, an infinite one for that infinity.
  std::vector<double> value{};
  std::vector<double> low{};
  std::vector<double> bound{};
  // Integer and other bit-exact results: these bits and no others. Where set, the fields above may be empty.
  std::optional<Array> exact{};
  // A second pattern that is as right as the first, element by element (fused against unfused): as `exact`.
  std::optional<Array> also_exact{};
  // Results or operands below the smallest normal number may have been flushed to zero (OpenCL's four results);
  // `flush_slack` is added to the bound then, absolute: the most that flushed operands can change an element by.
  std::vector<double> flush_slack{};
  // What a function gives where its subnormal operand was flushed (1/x: infinity), where that is no small change; NaN:
  // no such operand. The sign of a zero or an infinity is free.
  std::vector<double> flushed{};

  [[nodiscard]] std::size_t count() const { return exact ? exact->count() : value.size(); }
};

}  // namespace envdoctor::kernels
