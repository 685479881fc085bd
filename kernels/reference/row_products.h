#pragma once
// Shared by dot and gemv: one sum of products for each row of `a`, with a row of `b` each or with one `b` for all.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels {

// The longest chain of roundings of any variant: 16 lanes, the tail in one of them, 4 levels and the product's own
// rounding; or a group of at least 32 items and its 8 levels.
inline double rows_chain(std::size_t k) {
  return std::min(static_cast<double>(k), std::ceil(static_cast<double>(k) / 16) + 16 + 8 + 1);
}

// Row r of `b` begins at r * b_step: k, or 0 where all share one. `twice`: in double-double, as all but integers need.
inline Expected rows_reference(const Array& a, const Array& b, std::size_t k, std::size_t b_step, bool twice = true) {
  const std::size_t rows = a.count() / k;
  Expected out = Expected::bounded(a.precision, rows);
  out.low.resize(rows);
  out.probable.resize(rows);
  parallel_for_each(rows, 4, [&](std::size_t r) {
    const Sum sum = dot_product(
        k, twice, [&](std::size_t i) { return a.value(r * k + i); },
        [&](std::size_t i) { return b.value(r * b_step + i); });
    out.value[r] = sum.value.high;
    out.low[r] = sum.value.low;
    out.bound[r] = dot_bound(rows_chain(k), static_cast<double>(k), sum.sizes, a.precision);
    out.probable[r] = probable_dot_bound(rows_chain(k), static_cast<double>(k), sum.sizes,
                                         static_cast<double>(a.count()), a.precision);
  });
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

inline Plan rows_plan(const char* name, const Problem& problem, std::size_t rows, std::size_t k, bool own_b,
                      std::size_t group, Variant variant) {
  const std::size_t element = problem.element_bytes(), local = variant == Variant::gpu ? group : 1;
  return one_step_plan(function_name(name, problem.precision, variant),
                       {{rows * k * element, 0}, {(own_b ? rows * k : k) * element, 1}, {rows * element}},
                       {u32(rows), u32(k)}, rows * local, local);
}

template <class T, bool own_b>
void rows_on_host(const HostCall& call) {
  const auto a = call.buffer<const T>(0), b = call.buffer<const T>(1);
  const auto out = call.buffer<T>(2);
  const std::size_t k = call.scalar<std::uint32_t>(4);
  parallel_for_each(out.size(), 8, [&](std::size_t r) {
    out[r] = host_loops<T>().dot(a.data() + r * k, b.data() + (own_b ? r * k : 0), k);
  });
}

}  // namespace envdoctor::kernels
