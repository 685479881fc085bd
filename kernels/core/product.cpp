#include "kernels/core/product.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/core/bounds.h"
#include "kernels/core/parallel.h"
#include "kernels/core/random.h"

namespace envdoctor::kernels {
namespace {

double roundings_of(const ProductShape& s) {
  return static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
}

// Products of two fp32 numbers are exact in double, and a double sum's error is 2^-29 of the bound that fp32 gets.
void row_in_double(const std::vector<double>& a, const std::vector<double>& b, std::size_t n, std::size_t k,
                   std::size_t i, Expected& out) {
  constexpr std::size_t block = 256;
  double* values = &out.value[i * n];
  double* sizes = &out.bound[i * n];
  for (std::size_t from = 0; from < n; from += block) {
    const std::size_t to = std::min(n, from + block);
    for (std::size_t p = 0; p < k; ++p) {
      const double factor = a[i * k + p], size = std::fabs(factor);
      const double* row = &b[p * n];
      for (std::size_t j = from; j < to; ++j) {
        values[j] += factor * row[j];
        sizes[j] += size * std::fabs(row[j]);
      }
    }
  }
}

void set_bounds(Expected& out, std::size_t at, double sizes, const ProductShape& s) {
  const auto k = static_cast<double>(s.k);
  out.bound[at] = dot_bound(k, k, sizes, out.precision);
  out.probable[at] = probable_dot_bound(k, k, sizes, roundings_of(s), out.precision);
}

}  // namespace

Expected product_reference(const Array& a, const Array& b, const ProductShape& s, bool whole_numbers) {
  const std::size_t m = s.m, n = s.n, k = s.k;
  if (a.precision == Precision::fp64 && !whole_numbers) {
    std::vector<std::size_t> all(m * n);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return product_samples(a, b, s, all);
  }
  Expected out = Expected::bounded(a.precision, m * n);
  out.probable.resize(m * n);
  const std::vector<double> x = a.values(), y = b.values();
  parallel_for_each(m, 1, [&](std::size_t i) {
    row_in_double(x, y, n, k, i, out);
    for (std::size_t at = i * n; at < (i + 1) * n; ++at) set_bounds(out, at, out.bound[at], s);
  });
  return out;
}

Expected product_samples(const Array& a, const Array& b, const ProductShape& s, std::span<const std::size_t> elements) {
  const std::size_t n = s.n, k = s.k;
  Expected out = Expected::bounded(a.precision, elements.size());
  out.low.resize(elements.size());
  out.probable.resize(elements.size());
  const std::vector<double> x = a.values(), y = b.values();
  parallel_for_each(elements.size(), 64, [&](std::size_t e) {
    const std::size_t i = elements[e] / n, j = elements[e] % n;
    const Sum sum = dot_product(
        k, a.precision == Precision::fp64, [&](std::size_t p) { return x[i * k + p]; },
        [&](std::size_t p) { return y[p * n + j]; });
    out.value[e] = sum.value.high;
    out.low[e] = sum.value.low;
    set_bounds(out, e, sum.sizes, s);
  });
  return out;
}

Freivalds freivalds(const Array& a, const Array& b, const Array& c, const ProductShape& s, std::uint64_t seed,
                    bool whole_numbers) {
  const std::size_t m = s.m, n = s.n, k = s.k;
  std::vector<double> signs(n), product(k), sizes(k);
  for (std::size_t j = 0; j < n; ++j) signs[j] = random_sign(seed, 0, j);
  double squares_of_b = 0;
  for (std::size_t p = 0; p < k; ++p) {
    for (std::size_t j = 0; j < n; ++j) {
      const double value = b.value(p * n + j);
      product[p] += value * signs[j];
      sizes[p] += std::fabs(value);
      squares_of_b += value * value;
    }
  }
  // Never more than with all errors of one sign. And an element's error is at most `each` times the norms of its row
  // and its column; with signs that the device doesn't know, the sum of those errors is no further from zero than so
  // many of their root sums of squares. The check's own arithmetic in double adds far less than one part in a thousand.
  const auto terms = static_cast<double>(k);
  const double each = probable_gamma(terms, roundings_of(s), unit_roundoff(a.precision));
  const double deviations = 1.001 * probable_deviations(static_cast<double>(m));
  const double lost = static_cast<double>(n * k) * lost_to_underflow(a.precision, true);
  Freivalds result;
  for (std::size_t i = 0; i < m; ++i) {
    double residual = 0, squares = 0, sum = 0;
    for (std::size_t j = 0; j < n; ++j) residual += c.value(i * n + j) * signs[j];
    for (std::size_t p = 0; p < k; ++p) {
      const double value = a.value(i * k + p);
      residual -= value * product[p];
      squares += value * value;
      sum += std::fabs(value) * sizes[p];
    }
    const double bound = std::min(deviations * each * std::sqrt(squares * squares_of_b) + lost,
                                  1.001 * dot_bound(terms, static_cast<double>(n * k), sum, a.precision));
    const bool exact = whole_numbers && residual != 0;
    const double over = std::isfinite(residual) && !exact ? std::fabs(residual) / bound : HUGE_VAL;
    if (over > result.worst_over_bound) result = {over, static_cast<std::int64_t>(i)};
  }
  return result;
}

}  // namespace envdoctor::kernels
