#include "kernels/bounds.h"

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

}  // namespace

double gamma(double n, double u) { return n * u < 1 ? n * u / (1 - n * u) : HUGE_VAL; }

double lost_to_underflow(Precision precision, bool may_flush) {
  const double smallest = smallest_normal(precision);
  return may_flush ? smallest : smallest * unit_roundoff(precision);
}

double chain_in_blocks(double n, double block) {
  const double length = std::min(n, block);
  return std::max(0.0, length - 1) + std::max(0.0, std::ceil(n / block) - 1);
}

double chain_in_tree(double n, double leaf) {
  const double leaves = std::ceil(n / leaf);
  return std::max(0.0, std::min(n, leaf) - 1) + (leaves > 1 ? std::ceil(std::log2(leaves)) : 0);
}

double sum_bound(double chain, double sum_of_sizes, Precision precision) {
  return chain == 0 ? 0 : gamma(chain, unit_roundoff(precision)) * sum_of_sizes;
}

double dot_bound(double chain, double k, double sum_of_sizes, Precision precision, bool may_flush) {
  return gamma(chain, unit_roundoff(precision)) * sum_of_sizes + k * lost_to_underflow(precision, may_flush);
}

double ulp_limit(std::string_view function, Precision precision) {
  const auto row = std::ranges::find_if(table, [&](const UlpRow& r) { return r.function == function; });
  if (row == table.end()) return NAN;
  if (precision == Precision::fp64) return row->fp64;
  return precision == Precision::fp32 ? row->fp32 : row->fp16;  // the narrow ones alike
}

std::span<const UlpRow> ulp_table() { return table; }

LstmBound lstm_step_bound(const LstmStep& s, Precision precision) {
  const double u = unit_roundoff(precision);
  const double exp_error = 2 * ulp_limit("exp", precision), tanh_error = 2 * ulp_limit("tanh", precision);
  const double divide_error = std::max(1.0, 2 * ulp_limit("divide", precision));
  // 1 / (1 + exp -z): its slope is at most 1/4; then the errors of exp, of the sum and of the division.
  const auto sigmoid_error = [&](double value, double dz) {
    return dz / 4 + value * ((1 - value) * exp_error + 1 + divide_error) * u;
  };
  const double di = sigmoid_error(s.i, s.dz_i), df = sigmoid_error(s.f, s.dz_f), d_o = sigmoid_error(s.o, s.dz_o);
  const double dg = s.dz_g + tanh_error * u * std::fabs(s.g);
  const double dc = std::fabs(s.c_before) * df + std::fabs(s.g) * di + (s.i + di) * dg +
                    2 * u * (std::fabs(s.f * s.c_before) + std::fabs(s.i * s.g));
  const double dh =
      std::fabs(s.t) * d_o + (s.o + d_o) * (dc + tanh_error * u * std::fabs(s.t)) + u * std::fabs(s.o * s.t);
  // Terms of second order, and what may be flushed.
  const double more = 1 + 64 * u, lost = 4 * lost_to_underflow(precision, true);
  return {dc * more + lost, dh * more + lost};
}

double fft_relative_bound(double n, Precision precision) {
  const double u = unit_roundoff(precision);
  const double per_stage = u + gamma(4, u) * (std::sqrt(2.0) + u);
  return gamma(std::log2(n), per_stage);
}

double suspect_line(double k, Precision precision) { return 2.3 * unit_roundoff(precision) * std::sqrt(k); }

}  // namespace envdoctor::kernels
