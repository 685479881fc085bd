#pragma once
// Helpers for writing reference kernels.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/core/bounds.h"
#include "kernels/core/double_double.h"
#include "kernels/core/kernel.h"
#include "kernels/core/parallel.h"
#include "kernels/core/product.h"
#include "kernels/core/random.h"
#include "kernels/devices/host_loops.h"

namespace envdoctor::kernels {

// Two inputs whose products are summed, `terms` into an element: bell-shaped numbers, or integers, the first of which
// are as wide as possible, so that inputs narrowed to 11 bits are detected if sums are short enough.
inline std::vector<Array> factors_of_sums(const Problem& problem, std::size_t first, std::size_t second, double terms) {
  const Precision p = problem.precision;
  if (!problem.whole_numbers)
    return {normal_array(p, first, problem.seed, 0), normal_array(p, second, problem.seed, 1)};
  const double most = whole_number_limit(p, terms), wide = std::min(most, widest_whole_number(p));
  return {whole_numbers(p, first, problem.seed, 0, wide),
          whole_numbers(p, second, problem.seed, 1, std::floor(most / wide))};
}

// Integers give exact results.
inline Expected exactly(const Problem& problem, Expected expected) {
  if (!problem.whole_numbers) return expected;
  std::ranges::fill(expected.bound, 0.0);
  expected.probable.clear();
  return expected;
}

}  // namespace envdoctor::kernels
