// Computes the bounds again from the formulas of docs/numerics.md, in their order and with every term: a
// wrong term that is too small to matter in any run still makes a different bound than the proved one.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "kernels/core/bounds.h"
#include "kernels/core/random.h"

namespace envdoctor::kernels::worst_case_formulas_test {
namespace {

constexpr std::array floating{Precision::fp64, Precision::fp32, Precision::fp16};

double roundoff(Precision p) { return p == Precision::fp64 ? 0x1p-53 : p == Precision::fp32 ? 0x1p-24 : 0x1p-11; }
double tiny(Precision p) { return p == Precision::fp64 ? 0x1p-1022 : p == Precision::fp32 ? 0x1p-126 : 0x1p-14; }

// R / (1 - R).
double all_orders(double first_order) { return first_order / (1 - first_order); }

std::vector<double> numbers(std::uint64_t seed, std::size_t n, double scale, double mean = 0) {
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(static_cast<float>(scale * normal(seed, 0, i) + mean));
  return x;
}

void expect_close(double got, double formula, const char* what, Precision p) {
  EXPECT_NEAR(got / formula, 1, 1e-11) << what << " " << text(p) << ": " << got << " and " << formula;
}

TEST(BoundFormula, OfSumsAndProducts) {
  for (const Precision p : floating) {
    const double u = roundoff(p);
    EXPECT_EQ(gamma(70, u), 70 * u / (1 - 70 * u));
    EXPECT_EQ(gamma(1 / u, u), HUGE_VAL);
    EXPECT_LT(gamma(0.999 / u, u), HUGE_VAL);
    EXPECT_EQ(lost_to_underflow(p, true), tiny(p));
    EXPECT_EQ(lost_to_underflow(p, false), tiny(p) * u);  // half of the smallest subnormal, 2 u of the smallest normal
    EXPECT_EQ(sum_bound(0, 5, p), 0);
    EXPECT_EQ(sum_bound(1, 5, p), 5 * u / (1 - u));
    EXPECT_EQ(sum_bound(70, 5, p), 5 * gamma(70, u));
    for (const double sizes : {0.0, 3.0}) {
      EXPECT_EQ(dot_bound(70, 700, sizes, p), gamma(70, u) * sizes + 700 * tiny(p));
      EXPECT_EQ(dot_bound(70, 700, sizes, p, false), gamma(70, u) * sizes + 700 * (tiny(p) * u));
    }
    expect_close(fft_relative_bound(1024, p), gamma(10, u + gamma(4, u) * (std::sqrt(2) + u)), "transform", p);
    expect_close(suspect_threshold(77, p), 2.3 * u * std::sqrt(77), "suspect", p);
  }
}

TEST(BoundFormula, ByChance) {
  EXPECT_EQ(improbable, 1e-12);
  const double lambda = std::sqrt(2 * std::log(2e12 * 5000));
  expect_close(probable_deviations(5000), lambda, "deviations", Precision::fp64);
  EXPECT_EQ(probable_deviations(0), probable_deviations(1));
  for (const Precision p : floating) {
    const double u = roundoff(p), chain = 0.125 / u < 3000 ? 200 : 3000;
    // exp(t) - 1 has no digits in double precision where t is so small: its series has.
    const double t = lambda / (1 - u) * std::sqrt(chain) * u + chain * u * u / (1 - u);
    const double series = t + t * t / 2 + t * t * t / 6 + t * t * t * t / 24 + t * t * t * t * t / 120;
    const double expected = std::min(p == Precision::fp16 ? std::exp(t) - 1 : series, gamma(chain, u));
    expect_close(probable_gamma(chain, 5000, u), expected, "chance", p);
    expect_close(probable_sum_bound(chain, 3, 5000, p), 3 * expected, "sum by chance", p);
    EXPECT_EQ(probable_sum_bound(0, 3, 5000, p), 0);
    EXPECT_EQ(probable_sum_bound(1, 3, 5000, p), 3 * gamma(1, u));
    for (const double sizes : {0.0, 3.0})
      expect_close(probable_dot_bound(chain, 700, sizes, 5000, p), sizes * expected + 700 * tiny(p), "dot by chance",
                   p);
  }
}

TEST(BoundFormula, OfSoftmax) {
  for (const Precision p : floating) {
    for (const bool relaxed : {false, true}) {
      const double u = roundoff(p), exp_ulps = ulp_limit("exp", p), divide_ulps = ulp_limit("divide", p),
                   log_ulps = ulp_limit("log", p), depth = 21, slope = relaxed ? 5 : 1;
      std::vector<double> x = numbers(5, 22, 3);
      x[7] = -2000;  // whose exponential is no number any more
      x[8] = -450;   // in half precision, relaxed, nothing is promised there
      double top = x[0], sum = 0, mean_shift = 0;
      for (const double v : x) top = std::max(top, v);
      for (const double v : x) sum += std::exp(v - top);
      for (const double v : x) mean_shift += std::exp(v - top) / sum * std::fabs(v - top);
      const std::vector<double> bounds = softmax_bounds(x, depth, p, relaxed);
      const double divide = std::max(1.0, 2 * divide_ulps);  // fp64's division is rounded correctly: u
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double t = std::fabs(x[i] - top), w = std::exp(-t) / sum;
        const double first = u * (slope * t + slope * mean_shift + 2 * 2 * exp_ulps + divide + depth + 2);
        const double relative = w == 0 ? 0 : first < 1 ? all_orders(first) : HUGE_VAL;
        if (!std::isfinite(relative))
          EXPECT_EQ(bounds[i], HUGE_VAL);
        else
          expect_close(bounds[i], w * relative + 2 * tiny(p), "softmax", p);
      }
      const double of_sum = all_orders(u * (slope * mean_shift + 2 * exp_ulps + depth + 1));
      const double of_log = std::log(sum) * 2 * log_ulps * u + (relaxed ? 0x1p-21 : 0);
      const double before = all_orders(of_sum) + of_log * (1 + of_sum);
      expect_close(logsumexp_bound(x, depth, p, relaxed),
                   before + u * (std::fabs(top + std::log(sum)) + before) + 22 * tiny(p), "logsumexp", p);
    }
  }
}

TEST(BoundFormula, OfLayerNormalisation) {
  for (const Precision p : {Precision::fp64, Precision::fp32}) {
    for (const bool relaxed : {false, true}) {
      const double u = roundoff(p), epsilon = 1e-5, chain = 9;
      const std::size_t n = 32;
      const std::vector<double> x = numbers(6, n, 2, 40), gain = numbers(7, n, 1), offset = numbers(8, n, 1);
      double mean = 0, sizes = 0, variance = 0;
      for (const double v : x) mean += v / n, sizes += std::fabs(v) / n;
      for (const double v : x) variance += (v - mean) * (v - mean) / n;
      const double divide = p == Precision::fp64 ? 1 : 5;  // in u: correctly rounded, or 2.5 ulp
      const double root_of = p == Precision::fp64 ? 1 : 6, rsqrt_of = 4;
      const double d = gamma(chain + divide + 1, u) * sizes, sigma = std::sqrt(variance + epsilon);
      const double shift = d * d / (sigma * sigma);
      const double rho = gamma(chain + 4 + divide + 1, u) * (1 + shift) + shift + u;
      const double root = 1 / std::sqrt(1 - rho) - 1;
      const double q = root + (1 + root) * gamma(std::max(rsqrt_of, root_of + divide) + (relaxed ? 8 : 0), u);
      const std::vector<double> bounds = layernorm_bounds(x, gain, offset, epsilon, chain, p, relaxed);
      for (std::size_t i = 0; i < n; ++i) {
        const double from_mean = std::fabs(x[i] - mean), y = from_mean / sigma;
        const double of_y = (d + u * (from_mean + d)) / sigma * (1 + q) + y * q;
        const double product = std::fabs(gain[i]) * (of_y + (y + of_y) * gamma(2, u));
        const double out = std::fabs(gain[i] * (x[i] - mean) / sigma + offset[i]);
        expect_close(bounds[i], product + u * (out + product) + 4 * tiny(p), "layernorm", p);
      }
    }
  }
  // So long a row that nothing is promised of its variance; and one that is constant, whose inverse root is epsilon's.
  const std::vector<double> constant(4, 3.0), ones(4, 1.0), zeros(4, 0.0);
  EXPECT_EQ(layernorm_bounds(numbers(6, 4, 1), ones, zeros, 1e-5, 0x1p24, Precision::fp32).front(), HUGE_VAL);
  EXPECT_FALSE(std::isfinite(layernorm_bounds(constant, ones, zeros, 0, 3, Precision::fp32).front()));
  EXPECT_LT(layernorm_bounds(constant, ones, zeros, 1e-5, 3, Precision::fp32).front(), 1e-2);
}

TEST(BoundFormula, OfOneLstmStep) {
  for (const Precision p : floating) {
    for (const bool relaxed : {false, true}) {
      const double u = roundoff(p), exp_u = 2 * ulp_limit("exp", p), tanh_u = 2 * ulp_limit("tanh", p);
      const double divide_u = p == Precision::fp64 ? 1 : 2 * ulp_limit("divide", p);
      LstmStep s{.i = 0.7, .f = 0.2, .g = -0.6, .o = 0.4, .dz_i = 3 * u, .dz_f = 5 * u, .dz_g = 7 * u, .dz_o = 2 * u};
      s.c_before = -1.5, s.c = s.f * s.c_before + s.i * s.g, s.t = std::tanh(s.c);
      const auto sigmoid = [&](double value, double dz) {
        const double z = std::fabs(std::log(value / (1 - value)));
        const double of_exp = exp_u + (relaxed ? 4 * z : 0);  // relaxed, 2 (3 + 2 |z|) u
        return dz / 4 + value * ((1 - value) * of_exp + 1 + divide_u) * u;
      };
      const double i = sigmoid(s.i, s.dz_i), f = sigmoid(s.f, s.dz_f), o = sigmoid(s.o, s.dz_o);
      const double in_tanh = relaxed ? 90 * u : 0;
      const double g = s.dz_g + tanh_u * u * 0.6 + in_tanh;
      // (f + df) (c) + (i + di) (g + dg), each product and the sum rounded.
      const double c = 1.5 * f + 0.6 * i + (0.7 + i) * g + 2 * u * (0.2 * 1.5 + 0.7 * 0.6);
      const double t = std::fabs(s.t);
      const double h = t * o + (0.4 + o) * (c + tanh_u * u * t + in_tanh) + u * 0.4 * t;
      const LstmBound bound = lstm_step_bound(s, p, relaxed);
      expect_close(bound.c, c * (1 + 64 * u) + 4 * tiny(p), "cell", p);
      expect_close(bound.h, h * (1 + 64 * u) + 4 * tiny(p), "output", p);
    }
  }
  // A gate that is shut or open as far as numbers go: exp's argument is taken for 100.
  const LstmStep shut{.i = 1, .f = 1, .g = 0, .o = 1};
  const double u = 0x1p-24;
  expect_close(lstm_step_bound(shut, Precision::fp32, true).c,
               ((1 + (1 + 5) * u) * 90 * u) * (1 + 64 * u) + 4 * 0x1p-126, "open gates", Precision::fp32);
  EXPECT_EQ(lstm_step_bound({}, Precision::fp32).c, 4 * 0x1p-126);  // of nothing, nothing but what is flushed
  EXPECT_EQ(lstm_step_bound({}, Precision::fp32).h, 4 * 0x1p-126);
}

// OpenCL C 3.0, table 40 ("-cl-unsafe-math-optimizations" and "-cl-fast-relaxed-math"), written down a second time.
TEST(BoundFormula, OfRelaxedFunctions) {
  const auto fp32 = [](const char* f, double x, double value, double y = 0) {
    return relaxed_limit(f, x, y, value, Precision::fp32);
  };
  const auto unit = [](double value) { return ulp(Precision::fp32, value); };
  for (const double x : {-3.3, -0.4, 0.3, 0.5, 1.7, 2.0, 2.1, 9.0}) {
    const double size = std::fabs(x);
    EXPECT_EQ(fp32("exp", x, std::exp(x)), (3 + 2 * size) * unit(std::exp(x)));
    EXPECT_EQ(fp32("exp2", x, std::exp2(x)), (3 + 2 * size) * unit(std::exp2(x)));
    EXPECT_EQ(fp32("expm1", x, std::expm1(x)), (3 + 2 * size) * unit(std::expm1(x) + 1) + unit(std::expm1(x)));
    EXPECT_EQ(fp32("sin", x, std::sin(x)), size <= 3.1415927 ? 0x1p-11 : 2);
    EXPECT_EQ(fp32("cos", x, std::cos(x)), size <= 3.1415927 ? 0x1p-11 : 2);
    EXPECT_EQ(fp32("tan", x, std::tan(x)),
              size <= 3.1415927 ? 0x1p-10 * (1 + std::fabs(std::tan(x))) / std::fabs(std::cos(x)) : HUGE_VAL);
    EXPECT_EQ(fp32("tanh", x, std::tanh(x)), (3 + 4 * size) * 0x1p-22);
    EXPECT_EQ(fp32("atan", x, std::atan(x)), 4 * 5 * unit(std::atan(x)));
    EXPECT_EQ(fp32("reciprocal", x, 1 / x), 2.5 * unit(1 / x));
    EXPECT_EQ(relaxed_limit("exp", x, 0, std::exp(x), Precision::fp64), 4 * 3 * ulp(Precision::fp64, std::exp(x)));
    if (x < 0) continue;
    const double near_one = x >= 0.5 && x <= 2 ? 0x1p-21 : 0, near_zero = x <= 1 ? 0x1p-21 : 0;
    EXPECT_EQ(fp32("log", x, std::log(x)), near_one + 3 * unit(std::log(x)));
    EXPECT_EQ(fp32("log2", x, std::log2(x)), near_one + 3 * unit(std::log2(x)));
    EXPECT_EQ(fp32("log1p", x, std::log1p(x)), near_zero + 3 * unit(std::log1p(x)) + 0x1p-24);
    EXPECT_EQ(fp32("sqrt", x, std::sqrt(x)), 4 * 3 * unit(std::sqrt(x)));
    EXPECT_EQ(fp32("rsqrt", x, 1 / std::sqrt(x)), 4 * 2 * unit(1 / std::sqrt(x)));
    for (const double y : {-1.25, 0.75, 3.0}) {
      const double t = y * std::log2(x), of_log = near_one + 3 * unit(std::log2(x)), value = std::pow(x, y);
      EXPECT_EQ(fp32("pow", x, value, y),
                std::fabs(value) * (std::fabs(y) * of_log + unit(t)) + (3 + 2 * std::fabs(t)) * unit(value));
    }
  }
  EXPECT_EQ(fp32("tanh", 30, 1), (3 + 4 * 20) * 0x1p-22);
  EXPECT_EQ(fp32("tan", std::acos(0) - 1e-4, 1e4), HUGE_VAL);
  // Where the table gives no range: nothing is promised. At its ends the promise holds.
  for (const auto& [function, least, most] :
       {std::tuple("reciprocal", 0x1p-126, 0x1p126), {"sqrt", 0x1p-126, 0x1p126}}) {
    EXPECT_LT(fp32(function, least, 1), 1);
    EXPECT_LT(fp32(function, -most, 1), 1);
    EXPECT_EQ(fp32(function, least / 2, 1), HUGE_VAL);
    EXPECT_EQ(fp32(function, most * 2, 1), HUGE_VAL);
  }
  EXPECT_EQ(fp32("divide", 0x1p-62, 1, -0x1p62), 2.5 * unit(1));
  EXPECT_EQ(fp32("divide", 0x1p62, 1, 0x1p-62), 2.5 * unit(1));
  EXPECT_EQ(fp32("divide", 0, 0, 3), 2.5 * unit(0));
  for (const double out : {0x1p-63, 0x1p63}) {
    EXPECT_EQ(fp32("divide", out, 1, 3), HUGE_VAL);
    EXPECT_EQ(fp32("divide", 3, 1, -out), HUGE_VAL);
  }
  EXPECT_EQ(fp32("add", 1, 2), 4 * 0.5 * unit(2));  // rounded correctly: half an ulp
  EXPECT_EQ(fp32("exp", HUGE_VAL, 1), HUGE_VAL);
  EXPECT_EQ(fp32("exp", 1, HUGE_VAL), HUGE_VAL);
}

// The columns of the table that tests of single functions have no device for.
TEST(BoundFormula, OfFunctionsInHalfPrecision) {
  const std::vector<std::pair<std::vector<const char*>, double>> columns = {
      {{"acos", "acosh", "asin", "asinh", "atan",  "atanh", "cbrt", "cos",  "cosh", "exp", "exp10",
        "exp2", "expm1", "log",  "log10", "log1p", "log2",  "sin",  "sinh", "tan",  "tanh"},
       2},
      {{"erf", "erfc", "pow", "tgamma"}, 4},
      {{"divide", "reciprocal", "rsqrt", "sqrt"}, 1},
      {{"add", "fma", "multiply", "subtract", "trunc"}, 0}};
  std::size_t functions = 0;
  for (const auto& [names, limit] : columns) {
    for (const char* name : names) EXPECT_EQ(ulp_limit(name, Precision::fp16), limit) << name;
    functions += names.size();
  }
  EXPECT_EQ(functions, ulp_table().size());
  EXPECT_EQ(ulp_limit("exp", Precision::bf16), 2);
}

}  // namespace
}  // namespace envdoctor::kernels::worst_case_formulas_test
