// Butterflies with a barrier after each stage, in local memory: miscompiled barriers and races. Exact in integers.
#include <bit>
#include <numbers>

#include "kernels/reference/reference.h"

namespace envdoctor::kernels::fft_butterfly {
namespace {

struct Shape {
  std::size_t n, transforms, bits;
};

Shape shape_of(const Problem& problem) {
  const auto n = problem.at("n");
  const std::size_t bits = std::min<std::size_t>(10, static_cast<std::size_t>(std::bit_width(n)) - 1);
  return {std::size_t{1} << bits, problem.at("transforms"), bits};
}

// The roots of unity of each stage; for integers random choices of 1, -i, -1 and i, so that every product is exact.
Array factors(const Problem& problem) {
  const auto [n, transforms, bits] = shape_of(problem);
  Array out(problem.precision, bits * n);
  for (std::size_t stage = 0; stage < bits; ++stage) {
    const std::size_t half = std::size_t{1} << stage;
    for (std::size_t b = 0; b < n / 2; ++b) {
      const double angle =
          is_floating(problem.precision)
              ? -std::numbers::pi * static_cast<double>(b % half) / static_cast<double>(half)
              : std::numbers::pi / 2 * static_cast<double>(random_bits(problem.seed, 1, stage * n + b) % 4);
      const std::size_t at = (stage * (n / 2) + b) * 2;
      out.set(at, is_floating(problem.precision) ? std::cos(angle) : std::round(std::cos(angle)));
      out.set(at + 1, is_floating(problem.precision) ? std::sin(angle) : std::round(std::sin(angle)));
    }
  }
  return out;
}

// Integers small enough for ten stages that each may double the real and the imaginary part.
std::vector<Array> inputs(const Problem& problem) {
  const auto [n, transforms, bits] = shape_of(problem);
  const std::size_t count = 2 * n * transforms;
  return {is_floating(problem.precision) ? normal_array(problem.precision, count, problem.seed, 0)
                                         : uniform_array(problem.precision, count, problem.seed, 0, -1000, 1000),
          factors(problem)};
}

// The butterfly network itself, with the given factors, in T.
template <class T, class X, class W>
void transform(const Shape& s, const X& x, const W& w, std::size_t index, std::vector<T>& re, std::vector<T>& im) {
  re.resize(s.n);
  im.resize(s.n);
  for (std::size_t i = 0; i < s.n; ++i) {
    std::size_t j = 0;
    for (std::size_t bit = 0; bit < s.bits; ++bit) j |= (i >> bit & 1) << (s.bits - 1 - bit);
    re[i] = static_cast<T>(x[(index * s.n + j) * 2]);
    im[i] = static_cast<T>(x[(index * s.n + j) * 2 + 1]);
  }
  for (std::size_t stage = 0; stage < s.bits; ++stage) {
    const std::size_t half = std::size_t{1} << stage;
    for (std::size_t b = 0; b < s.n / 2; ++b) {
      const std::size_t low = b / half * 2 * half + b % half, high = low + half, at = (stage * (s.n / 2) + b) * 2;
      const T wr = static_cast<T>(w[at]), wi = static_cast<T>(w[at + 1]);
      const T hr = re[high] * wr - im[high] * wi, hi = re[high] * wi + im[high] * wr;
      const T lr = re[low], li = im[low];
      re[low] = lr + hr;
      im[low] = li + hi;
      re[high] = lr - hr;
      im[high] = li - hi;
    }
  }
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const Shape s = shape_of(problem);
  const std::size_t count = 2 * s.n * s.transforms;
  Expected out{.precision = problem.precision};
  const bool floating = is_floating(problem.precision);
  if (floating) {
    for (auto* list : {&out.value, &out.low, &out.bound}) list->resize(count);
  } else {
    out.exact = Array(problem.precision, count);
  }
  const std::vector<double> x = in[0].values(), w = in[1].values();
  parallel_for_each(s.transforms, 8, [&](std::size_t t) {
    std::vector<long double> re, im;
    transform(s, x, w, t, re, im);
    long double squares = 0;
    for (std::size_t i = 0; i < s.n; ++i) squares += re[i] * re[i] + im[i] * im[i];
    // No element's error is larger than the norm of all errors.
    const double bound = fft_relative_bound(static_cast<double>(s.n), floating ? problem.precision : Precision::fp64) *
                             std::sqrt(static_cast<double>(squares)) +
                         static_cast<double>(s.n) * lost_to_underflow(Precision::fp32, true);
    for (std::size_t i = 0; i < 2 * s.n; ++i) {
      const long double value = i % 2 == 0 ? re[i / 2] : im[i / 2];
      const std::size_t at = t * 2 * s.n + i;
      if (floating) {
        out.value[at] = static_cast<double>(value);
        out.low[at] = static_cast<double>(value - static_cast<long double>(out.value[at]));
        out.bound[at] = bound;
      } else {
        out.exact->set(at, static_cast<double>(value));
      }
    }
  });
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const Shape s = shape_of(problem);
  const std::size_t element = problem.element_bytes(), points = 2 * s.n * s.transforms * element;
  const std::size_t local =
      variant == Variant::gpu ? capabilities.group(s.n < 4 ? 1 : std::min<std::size_t>(256, s.n / 2)) : 1;
  return one_step_plan(function_name("fft-butterfly", problem.precision, variant),
                       {{points, 0}, {s.bits * s.n * element, 1}, {points}}, {u32(s.bits), u32(s.transforms)},
                       s.transforms * local, local);
}

Work work(const Problem& problem) {
  const Shape s = shape_of(problem);
  const double butterflies = 0.5 * static_cast<double>(s.n * s.bits * s.transforms);
  return {.flops = 10 * butterflies, .bytes = 4 * static_cast<double>(s.n * s.transforms * problem.element_bytes())};
}

Operation describe(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  const Shape s = shape_of(problem);
  return {.depth = static_cast<std::int64_t>(s.n), .columns = static_cast<std::int64_t>(2 * s.n)};
}

template <class T>
void on_host(const HostCall& call) {
  const auto x = call.buffer<T>(0), w = call.buffer<T>(1), out = call.buffer<T>(2);
  const std::size_t bits = call.scalar<std::uint32_t>(3), n = std::size_t{1} << bits;
  const Shape s{n, out.size() / (2 * n), bits};
  parallel_for_each(s.transforms, 8, [&](std::size_t t) {
    std::vector<T> re, im;
    transform(s, x, w, t, re, im);
    for (std::size_t i = 0; i < n; ++i) {
      out[(t * n + i) * 2] = re[i];
      out[(t * n + i) * 2 + 1] = im[i];
    }
  });
}

}  // namespace

const Kernel kernel = {
    .name = "fft-butterfly",
    .claim = "stages of butterflies keep their order across barriers: exactly in integers, within eta log2 n else",
    .precisions = {Precision::fp32, Precision::fp64, Precision::int32},
    .tiny = {{{"n", 64}, {"transforms", 2}}},
    .quick = {{{"n", 256}, {"transforms", 32}}},
    .full = {{{"n", 2}, {"transforms", 3}}, {{"n", 64}, {"transforms", 512}}, {{"n", 1024}, {"transforms", 128}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .rows = {"transforms", {0}},
    .host = {{"fft_butterfly_fp32_host", on_host<float>},
             {"fft_butterfly_fp64_host", on_host<double>},
             {"fft_butterfly_int32_host", on_host<std::int32_t>}},
};

}  // namespace envdoctor::kernels::fft_butterfly
