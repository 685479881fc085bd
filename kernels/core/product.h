#pragma once
// References of matrix products, and a check that needs no full product.
#include <span>

#include "kernels/core/compare_results.h"
#include "kernels/core/double_double.h"

namespace envdoctor::kernels {

struct Sum {
  DoubleDouble value{};
  double sizes = 0;  // of |x y|
};

// Of k products; in double-double, or in double if products are exact and that is enough.
template <class First, class Second>
Sum dot_product(std::size_t k, bool twice, const First& first, const Second& second) {
  Sum sum;
  for (std::size_t p = 0; p < k; ++p) {
    const double x = first(p), y = second(p);
    sum.value = twice ? sum.value + two_product(x, y) : DoubleDouble(sum.value.high + x * y);
    sum.sizes += std::fabs(x * y);
  }
  return sum;
}

// C = A B with A m x k, B k x n, row by row.
struct ProductShape {
  std::size_t m = 1, n = 1, k = 1;
};

// C and its bounds gamma_k (|A| |B|) + underflow, which hold for any order of additions, in double, or double-double
// for fp64 inputs; on all threads. Cost: 4 m n k operations. `whole_numbers`: small enough for plain double in any
// precision.
Expected product_reference(const Array& a, const Array& b, const ProductShape& shape, bool whole_numbers = false);

// The same for chosen elements (row * n + column) of C.
Expected product_samples(const Array& a, const Array& b, const ProductShape& shape,
                         std::span<const std::size_t> elements);

// Freivalds' check with signs t in {-1, 1}: r = C t - A (B t). A single wrong element changes r by its whole error and
// identifies its row. Rounding errors add up with random signs: |r_i| stays within the root of the sum of their squares
// times 8, except once in 10^12 products, so a row beyond it must be inspected. Cost: 2 (m n + n k + m k). 24-bit and
// narrower precisions only. For integers with exact sums only zero is right.
struct Freivalds {
  double worst_over_bound = 0;  // max |r_i| over that; above 1 is wrong, NaN in C gives infinity
  std::int64_t worst_row = -1;
  [[nodiscard]] bool right() const { return worst_over_bound <= 1; }
};
Freivalds freivalds(const Array& a, const Array& b, const Array& c, const ProductShape& shape, std::uint64_t seed,
                    bool whole_numbers = false);

}  // namespace envdoctor::kernels
