#include "kernels/core/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace envdoctor::kernels {
namespace {

// OpenCL C 3.0, 7.4: full profile; fp16 from the extension cl_khr_fp16.
constexpr std::array<UlpRow, 34> table{{
    {"acos", 2, 4, 4},     {"acosh", 2, 4, 4}, {"add", 0, 0, 0},      {"asin", 2, 4, 4},  {"asinh", 2, 4, 4},
    {"atan", 2, 5, 5},     {"atanh", 2, 5, 5}, {"cbrt", 2, 2, 2},     {"cos", 2, 4, 4},   {"cosh", 2, 4, 4},
    {"divide", 1, 2.5, 0}, {"erf", 4, 16, 16}, {"erfc", 4, 16, 16},   {"exp", 2, 3, 3},   {"exp10", 2, 3, 3},
    {"exp2", 2, 3, 3},     {"expm1", 2, 3, 3}, {"fma", 0, 0, 0},      {"log", 2, 3, 3},   {"log10", 2, 3, 3},
    {"log1p", 2, 2, 2},    {"log2", 2, 3, 3},  {"multiply", 0, 0, 0}, {"pow", 4, 16, 16}, {"reciprocal", 1, 2.5, 0},
    {"rsqrt", 1, 2, 2},    {"sin", 2, 4, 4},   {"sinh", 2, 4, 4},     {"sqrt", 1, 3, 0},  {"subtract", 0, 0, 0},
    {"tan", 2, 5, 5},      {"tanh", 2, 5, 5},  {"tgamma", 4, 16, 16}, {"trunc", 0, 0, 0},
}};

// A sum of relative errors that may each stand on either side of a quotient: R / (1 - R) covers their product (Higham,
// lemma 3.1).
double compounded(double relative) { return relative < 1 ? relative / (1 - relative) : HUGE_VAL; }

struct Shifted {
  double top = 0;         // the largest element
  double sum = 0;         // of exp(x - top)
  double mean_shift = 0;  // of |x - top|, weighted by exp(x - top): the effect of rounding the differences on the sum
};

Shifted shift(std::span<const double> x) {
  Shifted shifted{.top = *std::ranges::max_element(x)};
  double weighted = 0;
  for (const double value : x) {
    const double t = value - shifted.top, e = std::exp(t);
    shifted.sum += e;
    if (e > 0) weighted += e * std::fabs(t);
  }
  shifted.mean_shift = weighted / shifted.sum;
  return shifted;
}

// 1 ulp is at most 2 u of the value.
double relative_error(std::string_view function, Precision precision) {
  return std::max(1.0, 2 * ulp_limit(function, precision));
}

}  // namespace

double gamma(double n, double u) { return n * u < 1 ? n * u / (1 - n * u) : HUGE_VAL; }

double lost_to_underflow(Precision precision, bool may_flush) {
  const double smallest = smallest_normal(precision);
  return may_flush ? smallest : smallest * unit_roundoff(precision);
}

double sum_bound(double chain, double sum_of_sizes, Precision precision) {
  return chain == 0 ? 0 : gamma(chain, unit_roundoff(precision)) * sum_of_sizes;
}

double dot_bound(double chain, double k, double sum_of_sizes, Precision precision, bool may_flush) {
  return gamma(chain, unit_roundoff(precision)) * sum_of_sizes + k * lost_to_underflow(precision, may_flush);
}

double probable_deviations(double sums) { return std::sqrt(2 * std::log(2 * std::max(1.0, sums) / improbable)); }

double probable_gamma(double chain, double roundings, double u) {
  const double lambda = probable_deviations(roundings) / (1 - u);
  return std::min(gamma(chain, u), std::expm1(lambda * std::sqrt(chain) * u + chain * u * u / (1 - u)));
}

double probable_sum_bound(double chain, double sum_of_sizes, double roundings, Precision precision) {
  return chain == 0 ? 0 : probable_gamma(chain, roundings, unit_roundoff(precision)) * sum_of_sizes;
}

double probable_dot_bound(double chain, double k, double sum_of_sizes, double roundings, Precision precision) {
  return probable_gamma(chain, roundings, unit_roundoff(precision)) * sum_of_sizes +
         k * lost_to_underflow(precision, true);
}

double ulp_limit(std::string_view function, Precision precision) {
  const auto row = std::ranges::find_if(table, [&](const UlpRow& r) { return r.function == function; });
  if (row == table.end()) return NAN;
  if (precision == Precision::fp64) return row->fp64;
  return precision == Precision::fp32 ? row->fp32 : row->fp16;  // all narrow ones alike
}

double relaxed_limit(std::string_view function, double x, double y, double value, Precision precision) {
  if (!std::isfinite(x) || !std::isfinite(value)) return HUGE_VAL;
  const double unit = ulp(precision, value), full = std::max(0.5, ulp_limit(function, precision)) * unit;
  if (precision != Precision::fp32) return 4 * full;
  const double size = std::fabs(x);
  const auto exponential = [](double of, double exact) {
    return (3 + 2 * std::fabs(of)) * ulp(Precision::fp32, exact);
  };
  const auto logarithm = [](double of, double exact) {
    return (of >= 0.5 && of <= 2 ? 0x1p-21 : 0) + 3 * ulp(Precision::fp32, exact);
  };
  if (function == "exp" || function == "exp2") return exponential(x, value);
  if (function == "expm1") return exponential(x, value + 1) + unit;
  if (function == "log" || function == "log2") return logarithm(x, value);
  if (function == "log1p") return logarithm(1 + x, value) + 0x1p-24;
  if (function == "sin" || function == "cos") return size <= 3.1415927 ? 0x1p-11 : 2;
  if (function == "tan") {
    const double cosine = std::fabs(std::cos(x));
    return size <= 3.1415927 && cosine > 0x1p-10 ? 0x1p-10 * (1 + std::fabs(value)) / cosine : HUGE_VAL;
  }
  if (function == "tanh") return (3 + 4 * std::min(size, 20.0)) * 0x1p-22;
  if (function == "pow") {
    const double log = std::log2(x), t = y * log;
    return std::fabs(value) * (std::fabs(y) * logarithm(x, log) + ulp(Precision::fp32, t)) + exponential(t, value);
  }
  if (function == "reciprocal") return size >= 0x1p-126 && size <= 0x1p126 ? full : HUGE_VAL;
  if (function == "divide") {
    const auto in_range = [](double v) { return v == 0 || (std::fabs(v) >= 0x1p-62 && std::fabs(v) <= 0x1p62); };
    return in_range(x) && in_range(y) ? full : HUGE_VAL;
  }
  if (function == "rsqrt" || function == "sqrt") return size >= 0x1p-126 && size <= 0x1p126 ? 4 * full : HUGE_VAL;
  return 4 * full;
}

std::span<const UlpRow> ulp_table() { return table; }

LstmBound lstm_step_bound(const LstmStep& s, Precision precision, bool relaxed) {
  const double u = unit_roundoff(precision);
  const double exp_error = 2 * ulp_limit("exp", precision), tanh_error = 2 * ulp_limit("tanh", precision);
  const double divide_error = std::max(1.0, 2 * ulp_limit("divide", precision));
  // 1 / (1 + exp -z): its slope is at most 1/4; then the errors of exp, of the sum and of the division.
  const auto sigmoid_error = [&](double value, double dz) {
    const double slope = value * (1 - value);
    // Relaxed, exp's limit is 3 + 2 |z| ulp.
    const double z = relaxed && slope > 0 ? std::fabs(std::log(value / (1 - value))) : 0;
    return dz / 4 + (slope * (exp_error + 4 * z) + value * (1 + divide_error)) * u;
  };
  const double di = sigmoid_error(s.i, s.dz_i), df = sigmoid_error(s.f, s.dz_f), d_o = sigmoid_error(s.o, s.dz_o);
  // Relaxed, tanh is computed from exp of up to 20, which gives an absolute error.
  const double lost_in_tanh = relaxed ? 90 * u : 0;
  const double dg = s.dz_g + tanh_error * u * std::fabs(s.g) + lost_in_tanh;
  const double dc = std::fabs(s.c_before) * df + std::fabs(s.g) * di + (s.i + di) * dg +
                    2 * u * (std::fabs(s.f * s.c_before) + std::fabs(s.i * s.g));
  const double dh = std::fabs(s.t) * d_o + (s.o + d_o) * (dc + tanh_error * u * std::fabs(s.t) + lost_in_tanh) +
                    u * std::fabs(s.o * s.t);
  // Terms of second order, and flushed values.
  const double more = 1 + 64 * u, lost = 4 * lost_to_underflow(precision, true);
  return {dc * more + lost, dh * more + lost};
}

double fft_relative_bound(double n, Precision precision) {
  const double u = unit_roundoff(precision);
  const double per_stage = u + gamma(4, u) * (std::sqrt(2.0) + u);
  return gamma(std::log2(n), per_stage);
}

double suspect_threshold(double k, Precision precision) { return 2.3 * unit_roundoff(precision) * std::sqrt(k); }

std::vector<double> softmax_bounds(std::span<const double> x, double depth, Precision precision, bool relaxed) {
  const double u = unit_roundoff(precision), tiny = lost_to_underflow(precision, true);
  const Shifted s = shift(x);
  const double by_shift = relaxed ? 5 : 1;  // exp's own limit grows by 2 ulp with its argument then
  const double shared =
      by_shift * s.mean_shift + 2 * relative_error("exp", precision) + relative_error("divide", precision) + depth + 2;
  std::vector<double> bounds(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = std::fabs(x[i] - s.top), w = std::exp(-t) / s.sum;
    // An element whose exponential vanishes may be off by that; then |t| doesn't matter.
    bounds[i] = (w > 0 ? w * compounded(u * (by_shift * t + shared)) : 0) + 2 * tiny;
  }
  return bounds;
}

double logsumexp_bound(std::span<const double> x, double depth, Precision precision, bool relaxed) {
  const double u = unit_roundoff(precision);
  const Shifted s = shift(x);
  const double sum_error =
      compounded(u * ((relaxed ? 5 : 1) * s.mean_shift + relative_error("exp", precision) + depth + 1));
  const double log_error = std::log(s.sum) * relative_error("log", precision) * u + (relaxed ? 0x1p-21 : 0);
  const double before = compounded(sum_error) + log_error * (1 + sum_error);
  return before + u * (std::fabs(s.top + std::log(s.sum)) + before) +
         static_cast<double>(x.size()) * lost_to_underflow(precision, true);
}

std::vector<double> layernorm_bounds(std::span<const double> x, std::span<const double> gain,
                                     std::span<const double> offset, double epsilon, double chain, Precision precision,
                                     bool relaxed) {
  const double u = unit_roundoff(precision), n = static_cast<double>(x.size());
  const double divide = relative_error("divide", precision);
  double sum = 0, sizes = 0, squares = 0;
  for (const double value : x) {
    sum += value;
    sizes += std::fabs(value);
  }
  const double mean = sum / n;
  for (const double value : x) squares += (value - mean) * (value - mean);
  const double variance = squares / n, scale = std::sqrt(variance + epsilon);
  const double mean_error = gamma(chain + divide + 1, u) * sizes / n;
  // The mean's error is the same for every element, so only its square enters the variance.
  const double shift = variance + epsilon > 0 ? mean_error * mean_error / (variance + epsilon) : HUGE_VAL;
  const double rho = gamma(chain + 4 + divide + 1, u) * (1 + shift) + shift + u;
  const double root = rho < 1 ? 1 / std::sqrt(1 - rho) - 1 : HUGE_VAL;
  // rsqrt, or a root and a division.
  const double rsqrt =
      std::max(relative_error("rsqrt", precision), relative_error("sqrt", precision) + divide) + (relaxed ? 8 : 0);
  const double q = root + (1 + root) * gamma(rsqrt, u);
  std::vector<double> bounds(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = std::fabs(x[i] - mean), y = d / scale;
    const double base = (mean_error + u * (d + mean_error)) / scale * (1 + q) + y * q;
    const double product = std::fabs(gain[i]) * (base + (y + base) * gamma(2, u));
    const double out = std::fabs(gain[i] * (x[i] - mean) / scale + offset[i]);
    bounds[i] = product + u * (out + product) + 4 * lost_to_underflow(precision, true);
  }
  return bounds;
}

}  // namespace envdoctor::kernels
