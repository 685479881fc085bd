#pragma once
// What dot and gemv share: one sum of products for each row of `a`, with a row of `b` each or with one `b` for all.
#include <cmath>

#include "kernels/bounds.h"
#include "kernels/double_double.h"
#include "kernels/host_loops.h"
#include "kernels/kernel.h"
#include "kernels/parallel.h"

namespace envdoctor::kernels {

// The longest chain of roundings of any variant: 16 lanes, the tail in one of them, 4 levels and the product's own
// rounding; or a group of at least 32 items and its 8 levels.
inline double rows_chain(std::size_t k) {
  return std::min(static_cast<double>(k), std::ceil(static_cast<double>(k) / 16) + 16 + 8 + 1);
}

// Row r of `b` begins at r * b_step: k, or 0 where all share one.
inline Expected rows_reference(const Array& a, const Array& b, std::size_t k, std::size_t b_step) {
  const std::size_t rows = a.count() / k;
  Expected out{.precision = a.precision, .value = std::vector<double>(rows), .low = std::vector<double>(rows), .bound = std::vector<double>(rows)};
  const auto row = [&](std::size_t r) {
    DoubleDouble sum;
    double sizes = 0;
    for (std::size_t i = 0; i < k; ++i) {
      const double x = a.value(r * k + i), y = b.value(r * b_step + i);
      sum = sum + two_product(x, y);
      sizes += std::fabs(x * y);
    }
    out.value[r] = sum.high;
    out.low[r] = sum.low;
    out.bound[r] = dot_bound(rows_chain(k), static_cast<double>(k), sizes, a.precision);
  };
  parallel_for(rows, [&](std::size_t begin, std::size_t end) { for (std::size_t r = begin; r < end; ++r) row(r); }, 4);
  return out;
}

inline Terms row_terms(const Array& a, const Array& b, std::size_t k, std::size_t row, std::size_t b_step) {
  Terms terms;
  for (std::size_t i = 0; i < k; ++i) {
    terms.a.push_back(a.value(row * k + i));
    terms.b.push_back(b.value(row * b_step + i));
  }
  return terms;
}

inline Plan rows_plan(const char* name, Precision precision, std::size_t rows, std::size_t k, bool own_b, std::size_t group,
                      Variant variant) {
  const std::size_t element = size_of(precision);
  const std::size_t local = variant == Variant::gpu ? group : 1;
  return {.buffers = {{.bytes = rows * k * element, .input = 0}, {.bytes = (own_b ? rows * k : k) * element, .input = 1}, {.bytes = rows * element}},
          .steps = {{.function = function_name(name, precision, variant),
                     .global = {rows * local, 1, 1},
                     .local = {local, 1, 1},
                     .arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, static_cast<std::uint32_t>(rows),
                                   static_cast<std::uint32_t>(k)}}},
          .outputs = {2}};
}

template <class T, bool own_b>
void rows_on_host(const HostCall& call) {
  const auto a = call.buffer<const T>(0), b = call.buffer<const T>(1);
  const auto out = call.buffer<T>(2);
  const std::size_t k = call.scalar<std::uint32_t>(4);
  const auto row = [&](std::size_t r) {
    out[r] = host_loops<T>().dot(a.data() + r * k, b.data() + (own_b ? r * k : 0), k);
  };
  parallel_for(out.size(), [&](std::size_t begin, std::size_t end) { for (std::size_t r = begin; r < end; ++r) row(r); }, 8);
}

}  // namespace envdoctor::kernels
