// Every bound is between two runs: a legal one close to it, and a faulty one slightly above it. If the bound were
// a hundredth, the legal run would fail; if it were a hundred times larger, the faulty one would pass.
#include "kernels/core/bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>

#include "kernels/classify/replay.h"
#include "kernels/core/compare_results.h"
#include "kernels/core/product.h"
#include "kernels/core/random.h"

namespace envdoctor::kernels::bounds_test {
namespace {

struct Pair {
  Expected expected{};
  std::vector<double> got{};

  [[nodiscard]] bool right(double factor) const {
    Expected mutated = expected;
    for (double& bound : mutated.bound) bound *= factor;
    Array array(expected.precision, got.size());
    for (std::size_t i = 0; i < got.size(); ++i) array.set(i, got[i]);
    return compare(array, mutated).right();
  }
};

struct Between {
  const char* bound;
  std::function<Pair()> legal;
  std::function<Pair()> faulty;
};

constexpr double u = 0x1p-24;
float narrow(double x, int bits) { return static_cast<float>(rounded_to_bits(x, bits, Rounding::nearest)); }

// 1 and then terms of 1.5 u, each of which is rounded up by half a u: errors all of one sign.
std::vector<double> one_sided(std::size_t n) {
  std::vector<double> x(n, 1.5 * u);
  x[0] = 1;
  return x;
}

// In plain order, without the first `dropped` of the terms after the first.
Pair sum_of(const std::vector<double>& x, double chain, std::size_t dropped) {
  float sum = 0;
  double exact = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    exact += x[i];
    if (i == 0 || i > dropped) sum += static_cast<float>(x[i]);
  }
  return {{.value = {exact}, .bound = {sum_bound(chain, exact, Precision::fp32)}}, {sum}};
}

// Rows of 16 numbers about 5 apart.
std::vector<double> row(std::uint64_t seed, std::size_t n = 16, double scale = 5) {
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<float>(scale * normal(seed, 0, i)));
  return x;
}

Pair softmax_with(const std::function<float(float)>& exponential, bool of_sum) {
  Pair all;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<double> x = row(seed);
    const double top = *std::ranges::max_element(x);
    double exact = 0;
    float sum = 0;
    for (const double v : x) {
      exact += std::exp(v - top);
      sum += exponential(static_cast<float>(v) - static_cast<float>(top));
    }
    if (of_sum) {
      all.expected.value.push_back(top + std::log(exact));
      all.expected.bound.push_back(logsumexp_bound(x, 15, Precision::fp32));
      all.got.push_back(static_cast<float>(top) + std::log(sum));
      continue;
    }
    const auto bounds = softmax_bounds(x, 15, Precision::fp32);
    for (std::size_t i = 0; i < x.size(); ++i) {
      all.expected.value.push_back(std::exp(x[i] - top) / exact);
      all.expected.bound.push_back(bounds[i]);
      all.got.push_back(exponential(static_cast<float>(x[i]) - static_cast<float>(top)) / sum);
    }
  }
  return all;
}

Pair layernorm_with(bool one_pass) {
  Pair all;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::size_t n = 64;
    std::vector<double> x = row(seed, n, 1);
    for (double& v : x) v = static_cast<float>(v + 100);
    const std::vector<double> gain(n, 1), offset(n, 0);
    const auto bounds = layernorm_bounds(x, gain, offset, 1e-5F, n, Precision::fp32);
    double mean = 0, variance = 0;
    float s = 0, q = 0;
    for (const double v : x) {
      mean += v / static_cast<double>(n);
      s += static_cast<float>(v);
      q += static_cast<float>(v) * static_cast<float>(v);
    }
    for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(n);
    const float m = s / n;
    float var = q / n - m * m;
    if (!one_pass) {
      var = 0;
      for (const double v : x) var += (static_cast<float>(v) - m) * (static_cast<float>(v) - m);
      var /= n;
    }
    for (std::size_t i = 0; i < n; ++i) {
      all.expected.value.push_back((x[i] - mean) / std::sqrt(variance + 1e-5F));
      all.expected.bound.push_back(bounds[i]);
      all.got.push_back((static_cast<float>(x[i]) - m) * (1 / std::sqrt(var + 1e-5F)));
    }
  }
  return all;
}

// Cells of one input and no hidden state, whose own tanh has `bits` bits.
Pair lstm_with(int bits, bool cell) {
  Pair all;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    std::array<double, 4> z{};
    std::array<float, 4> zf{};
    const auto x = static_cast<float>(normal(1, 9, i)), c = static_cast<float>(normal(1, 8, i));
    LstmStep s{.c_before = c};
    std::array<double*, 4> dz{&s.dz_i, &s.dz_f, &s.dz_g, &s.dz_o};
    for (std::size_t g = 0; g < 4; ++g) {
      const auto w = static_cast<float>(normal(1, g, i));
      z[g] = static_cast<double>(w) * x;
      zf[g] = w * x;
      *dz[g] = dot_bound(2, 1, std::fabs(z[g]), Precision::fp32);
    }
    const auto sigmoid = [](auto v) { return 1 / (1 + std::exp(-v)); };
    s.i = sigmoid(z[0]), s.f = sigmoid(z[1]), s.g = std::tanh(z[2]), s.o = sigmoid(z[3]);
    s.c = s.f * s.c_before + s.i * s.g;
    s.t = std::tanh(s.c);
    const float got_c = sigmoid(zf[1]) * c + sigmoid(zf[0]) * narrow(std::tanh(zf[2]), bits);
    const LstmBound bound = lstm_step_bound(s, Precision::fp32);
    all.expected.value.push_back(cell ? s.c : s.o * s.t);
    all.expected.bound.push_back(cell ? bound.c : bound.h);
    all.got.push_back(cell ? got_c : sigmoid(zf[3]) * narrow(std::tanh(got_c), bits));
  }
  return all;
}

// Butterflies (a + w b, a - w b) of one stage: transforms of two points.
Pair butterflies(int factor_bits) {
  Pair all;
  for (std::uint64_t i = 0; i < 500; ++i) {
    std::array<float, 4> x{};
    for (std::size_t p = 0; p < 4; ++p) x[p] = static_cast<float>(normal(2, p, i));
    const double angle = 3 * uniform(2, 7, i);
    const auto wr = static_cast<float>(std::cos(angle)), wi = static_cast<float>(std::sin(angle));
    const float nr = narrow(wr, factor_bits), ni = narrow(wi, factor_bits);
    const double re = static_cast<double>(x[2]) * wr - static_cast<double>(x[3]) * wi,
                 im = static_cast<double>(x[2]) * wi + static_cast<double>(x[3]) * wr;
    const std::array<double, 4> exact{x[0] + re, x[1] + im, x[0] - re, x[1] - im};
    const float hr = x[2] * nr - x[3] * ni, hi = x[2] * ni + x[3] * nr;
    const std::array<float, 4> got{x[0] + hr, x[1] + hi, x[0] - hr, x[1] - hi};
    const double norm = std::sqrt(std::inner_product(exact.begin(), exact.end(), exact.begin(), 0.0));
    for (std::size_t p = 0; p < 4; ++p) {
      all.expected.value.push_back(exact[p]);
      all.expected.bound.push_back(fft_relative_bound(2, Precision::fp32) * norm);
      all.got.push_back(got[p]);
    }
  }
  return all;
}

// Products that are all below the smallest normal number, flushed one by one.
Pair flushed_products(double error) {
  const double product = 0x1p-127;
  return {{.value = {64 * product + 0x1p-100}, .bound = {dot_bound(65, 65, 64 * product + 0x1p-100, Precision::fp32)}},
          {0x1p-100 + error}};
}

Pair product_with(int bits, bool one_sided_terms) {
  const std::size_t k = 64, n = 4;
  Array a(Precision::fp32, n * k), b(Precision::fp32, k * n);
  for (std::size_t i = 0; i < a.count(); ++i) {
    a.set(i, one_sided_terms ? (i % k == 0 ? 1 : 1.5 * u) : normal(4, 0, i));
    b.set(i, one_sided_terms ? 1 : normal(4, 1, i));
  }
  Pair all{.expected = product_reference(a, b, {.m = 4, .n = 4, .k = 64})};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += narrow(a.value(i * k + p), bits) * narrow(b.value(p * n + j), bits);
      all.got.push_back(sum);
    }
  }
  return all;
}

const auto plain_exp = [](float t) { return std::exp(t); };
const auto poor_exp = [](float t) { return std::exp(narrow(t, 17)); };

const std::vector<Between>& bounds() {
  static const std::vector<Between> all = {
      {"sum in any order", [] { return sum_of(one_sided(512), 511, 0); },
       [] {
         std::vector<double> x(512, 1e-3);
         x[0] = 1;
         return sum_of(x, 511, 1);
       }},
      {"sum in blocks", [] { return sum_of(one_sided(64), 63, 0); },
       [] { return sum_of(std::vector<double>(20000, 1.0 / 1024), 140 + 141, 5); }},
      {"dot and product", [] { return product_with(24, true); }, [] { return product_with(11, false); }},
      {"underflow", [] { return flushed_products(0); }, [] { return flushed_products(65 * 0x1p-122); }},
      {"softmax", [] { return softmax_with(plain_exp, false); }, [] { return softmax_with(poor_exp, false); }},
      {"logsumexp", [] { return softmax_with(plain_exp, true); },
       [] { return softmax_with([](float t) { return std::exp(t) * (1 + 0x1p-14F); }, true); }},
      {"layernorm", [] { return layernorm_with(false); }, [] { return layernorm_with(true); }},
      {"lstm cell", [] { return lstm_with(24, true); }, [] { return lstm_with(15, true); }},
      {"lstm output", [] { return lstm_with(24, false); }, [] { return lstm_with(15, false); }},
      {"butterflies", [] { return butterflies(24); }, [] { return butterflies(17); }},
  };
  return all;
}

class Bound : public testing::TestWithParam<Between> {};

TEST_P(Bound, LetsTheLegalRunPassAndNotTheFaultyOne) {
  EXPECT_TRUE(GetParam().legal().right(1));
  EXPECT_FALSE(GetParam().faulty().right(1));
}

TEST_P(Bound, WouldFailTheLegalRunAtAHundredth) { EXPECT_FALSE(GetParam().legal().right(0.01)); }

TEST_P(Bound, WouldPassTheFaultyRunAtAHundredfold) { EXPECT_TRUE(GetParam().faulty().right(100)); }

INSTANTIATE_TEST_SUITE_P(Every, Bound, testing::ValuesIn(bounds()), [](const auto& of) {
  std::string name = of.param.bound;
  std::erase(name, ' ');
  return name;
});

TEST(Gamma, IsInfiniteWhereTooManyRoundingsLeaveNothing) {
  EXPECT_DOUBLE_EQ(gamma(1000, u), 1000 * u / (1 - 1000 * u));
  EXPECT_EQ(gamma(0x1p24, u), HUGE_VAL);
}

// OpenCL C 3.0, 7.4, written down a second time: a slip in either list fails here.
TEST(UlpTable, HoldsWhatOpenClPromises) {
  const std::map<std::string, double> single = {
      {"acos", 4},  {"acosh", 4},    {"add", 0},   {"asin", 4},         {"asinh", 4},   {"atan", 5},  {"atanh", 5},
      {"cbrt", 2},  {"cos", 4},      {"cosh", 4},  {"divide", 2.5},     {"erf", 16},    {"erfc", 16}, {"exp", 3},
      {"exp10", 3}, {"exp2", 3},     {"expm1", 3}, {"fma", 0},          {"log", 3},     {"log10", 3}, {"log1p", 2},
      {"log2", 3},  {"multiply", 0}, {"pow", 16},  {"reciprocal", 2.5}, {"rsqrt", 2},   {"sin", 4},   {"sinh", 4},
      {"sqrt", 3},  {"subtract", 0}, {"tan", 5},   {"tanh", 5},         {"tgamma", 16}, {"trunc", 0}};
  ASSERT_EQ(ulp_table().size(), single.size());
  for (const UlpRow& row : ulp_table()) {
    ASSERT_TRUE(single.contains(row.function)) << row.function;
    EXPECT_EQ(row.fp32, single.at(row.function)) << row.function;
    const bool exact_in_double = std::string(row.function) == "divide" || std::string(row.function) == "sqrt" ||
                                 std::string(row.function) == "reciprocal";
    EXPECT_EQ(row.fp64, exact_in_double ? 0 : row.fp32) << row.function;
    EXPECT_LE(row.fp16, 4) << row.function;
  }
  EXPECT_TRUE(std::isnan(ulp_limit("no such function", Precision::fp32)));
}

TEST(Freivalds, FindsOneWrongElementAndItsRow) {
  const Array a = normal_array(Precision::fp32, 64 * 48, 1, 0), b = normal_array(Precision::fp32, 48 * 40, 1, 1);
  const ProductShape shape{.m = 64, .n = 40, .k = 48};
  const Expected expected = product_reference(a, b, shape);
  Array c(Precision::fp32, 64 * 40);
  for (std::size_t i = 0; i < c.count(); ++i) c.set(i, expected.value[i]);
  EXPECT_TRUE(freivalds(a, b, c, shape, 5).right());
  c.set(17 * 40 + 3, c.value(17 * 40 + 3) + 0.05);
  EXPECT_EQ(freivalds(a, b, c, shape, 5).worst_row, 17);
  EXPECT_FALSE(freivalds(a, b, c, shape, 5).right());
  c.set(17 * 40 + 3, NAN);
  EXPECT_FALSE(freivalds(a, b, c, shape, 5).right());
}

// A product of rank one, so that the right answer costs little: row i of A is x_i times the same row.
struct RankOne {
  ProductShape shape{.m = 2048, .n = 2048, .k = 2048};
  Array a{Precision::fp32, shape.m*shape.k}, b = normal_array(Precision::fp32, shape.k*shape.n, 1, 1);
  Array c{Precision::fp32, shape.m* shape.n};

  RankOne() {
    const Array row = normal_array(Precision::fp32, shape.k, 1, 0);
    std::vector<double> product(shape.n);
    for (std::size_t p = 0; p < shape.k; ++p) {
      for (std::size_t j = 0; j < shape.n; ++j) product[j] += row.value(p) * b.value(p * shape.n + j);
    }
    for (std::size_t i = 0; i < shape.m; ++i) {
      const double x = i % 2 == 0 ? 1 : -1;
      for (std::size_t p = 0; p < shape.k; ++p) a.set(i * shape.k + p, x * row.value(p));
      for (std::size_t j = 0; j < shape.n; ++j) c.set(i * shape.n + j, x * product[j]);
    }
  }
};

// Elements are about 45 there; bounds that add up without regard to signs let 328 pass.
TEST(Freivalds, FindsOneWrongElementOfALargeProduct) {
  RankOne product;
  EXPECT_TRUE(freivalds(product.a, product.b, product.c, product.shape, 5).right());
  const std::size_t at = 1717 * 2048 + 99;
  product.c.set(at, product.c.value(at) + 30);
  EXPECT_EQ(freivalds(product.a, product.b, product.c, product.shape, 5).worst_row, 1717);
  EXPECT_FALSE(freivalds(product.a, product.b, product.c, product.shape, 5).right());
}

// Sums in plain order of numbers of either sign, and such as are cut off instead of rounded.
TEST(ProbableBound, LiesBetweenPlainSumsAndSumsThatAreCutOff) {
  constexpr std::size_t n = 100'000;
  double closest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    float sum = 0;
    double exact = 0, sizes = 0, cut = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = static_cast<float>(normal(seed, 0, i)) + 3.0F;  // far from zero: what is cut off adds up
      sum += static_cast<float>(x);
      cut = rounded_to_bits(cut + x, 24, Rounding::truncated);
      exact += x;
      sizes += std::fabs(x);
    }
    const double probable = probable_sum_bound(n, sizes, n, Precision::fp32);
    closest = std::max(closest, std::fabs(sum - exact) / probable);
    EXPECT_GT(std::fabs(cut - exact), probable) << seed;
    EXPECT_LT(std::fabs(cut - exact), sum_bound(n, sizes, Precision::fp32)) << seed;
  }
  EXPECT_LT(closest, 0.5);
  EXPECT_GT(closest, 0.005);
}

// Of theorem 2.4: lambda is 7.5 for one rounding, and 10.5 for 2^50 of them; it never exceeds the worst case.
TEST(ProbableBound, HasItsConstantFromTheProbability) {
  EXPECT_NEAR(2 * std::exp(-probable_deviations(1) * probable_deviations(1) / 2), improbable, 1e-15);
  EXPECT_NEAR(probable_deviations(1), 7.53, 0.01);
  EXPECT_NEAR(probable_gamma(1e6, 1, u) / (7.53 * 1000 * u), 1, 0.01);
  EXPECT_EQ(probable_gamma(50, 1e6, u), gamma(50, u));
  EXPECT_LT(probable_gamma(1000, 1e6, u), gamma(1000, u) / 3);
}

// One column, where the bound is that of a single element: 0.5 of it is reached, 5 of it is wrong.
TEST(Freivalds, HasABoundBetweenALegalAndAFaultyRun) {
  Array a(Precision::fp32, 512), b(Precision::fp32, 512), c(Precision::fp32, 1);
  float sum = 0;
  for (std::size_t i = 0; i < 512; ++i) {
    a.set(i, i == 0 ? 1 : 1.5 * u);
    b.set(i, 1);
    sum += static_cast<float>(a.value(i));
  }
  c.set(0, sum);
  const double legal = freivalds(a, b, c, {.k = 512}, 1).worst_over_bound;
  EXPECT_GT(legal, 0.01);
  EXPECT_LE(legal, 1);
  c.set(0, sum + 5 * 512 * u);
  const double faulty = freivalds(a, b, c, {.k = 512}, 1).worst_over_bound;
  EXPECT_GT(faulty, 1);
  EXPECT_LT(faulty, 100);
}

}  // namespace
}  // namespace envdoctor::kernels::bounds_test
