#pragma once
// The largest error of legal arithmetic, for each kernel. Every bound holds for every order of operations,
// fused or not, so no legal implementation can violate it. docs/numerics.md derives them. u is
// the unit roundoff, 2^-24 for fp32; source of the methods: N. Higham, Accuracy and Stability of Numerical Algorithms,
// 2nd ed. 2002, chapters 3, 4 and 24.
#include <span>
#include <string_view>
#include <vector>

#include "kernels/core/array.h"

namespace envdoctor::kernels {

// gamma_n = n u / (1 - n u): n roundings of relative size u in a row; infinite where n u >= 1.
double gamma(double n, double u);

// The largest absolute error of an operation whose result is tiny: half the smallest subnormal, or the smallest normal
// number where subnormals may be flushed.
double lost_to_underflow(Precision precision, bool may_flush);

// |error| of a sum whose longest chain of dependent additions is `chain`: gamma_chain * Sum |x_i|.
double sum_bound(double chain, double sum_of_sizes, Precision precision);
// |error| of a dot product of k terms with `chain` roundings on the longest way (k for any order): gamma_chain * Sum |a
// b| and the underflow of k products.
double dot_bound(double chain, double k, double sum_of_sizes, Precision precision, bool may_flush = true);

// The probable bound besides the worst case, if roundings are independent and equally often up and down: exp(lambda
// sqrt(chain) u + chain u^2 / (1 - u)) - 1, with lambda such that any of all the `roundings` of a problem exceeds
// it with a probability of 1e-12 (N. Higham, T. Mary, A new approach to probabilistic rounding error analysis, SIAM J.
// Sci. Comput. 41, 2019, theorems 2.4 and 3.1). Never more than gamma().
inline constexpr double improbable = 1e-12;
double probable_gamma(double chain, double roundings, double u);
// The probable counterparts of sum_bound() and dot_bound(), for one element of a problem with that many roundings in
// total.
double probable_sum_bound(double chain, double sum_of_sizes, double roundings, Precision precision);
double probable_dot_bound(double chain, double k, double sum_of_sizes, double roundings, Precision precision);
// How many standard deviations a sum of `terms` with random signs stays within, for each of `sums`, except with low
// probability (Hoeffding).
double probable_deviations(double sums);

// The largest legal error of a function in ulp, OpenCL C 3.0, "Relative Error as ULPs", full profile: for a name such
// as "exp" and a precision. 0: correctly rounded. NaN: no such row.
double ulp_limit(std::string_view function, Precision precision);
// The same with -cl-fast-relaxed-math, as an absolute error of the function of x (of pow's x and y) whose exact value
// this is; infinite where nothing is guaranteed. Only fp32 has a table of its own.
double relaxed_limit(std::string_view function, double x, double y, double value, Precision precision);
struct UlpRow {
  const char* function;
  double fp16, fp32, fp64;
};
std::span<const UlpRow> ulp_table();

// Softmax of one row, shifted by its maximum: for each element the absolute error of its result. `x` the row, `depth`
// the longest chain of additions in the sum of exponentials (n - 1 for any order).
// `relaxed`, here and below: with functions as inexact as -cl-fast-relaxed-math allows (OpenCL C 3.0, 7.4).
std::vector<double> softmax_bounds(std::span<const double> x, double depth, Precision precision, bool relaxed = false);
// |error| of log(Sum exp x) of the same row.
double logsumexp_bound(std::span<const double> x, double depth, Precision precision, bool relaxed = false);

// Layer normalisation of one row by two passes: (x - mean) / sqrt(variance + epsilon) * gain + offset. `chain`: the
// longest chain of additions in its sums. A one-pass variance exceeds this bound where |mean| >> sigma.
std::vector<double> layernorm_bounds(std::span<const double> x, std::span<const double> gain,
                                     std::span<const double> offset, double epsilon, double chain, Precision precision,
                                     bool relaxed = false);

// One step of one LSTM cell, from exact activations: i, f, o sigmoids and g, t = tanh(c) of the exact pre-activations;
// dz the largest errors of those (gamma_(K+1) (|W||x| + |U||h| + |b|), K = inputs + hidden). For one step only: carried
// over many it grows without limit while the true error doesn't.
struct LstmStep {
  double i = 0, f = 0, g = 0, o = 0;
  double dz_i = 0, dz_f = 0, dz_g = 0, dz_o = 0;
  double c_before = 0, c = 0, t = 0;
};
struct LstmBound {
  double c = 0, h = 0;
};
LstmBound lstm_step_bound(const LstmStep& step, Precision precision, bool relaxed = false);

// A radix-2 transform of n points: |error|_2 <= this * |exact result|_2. Twiddle factors rounded to the precision.
double fft_relative_bound(double n, Precision precision);

// rms(error / |p|_2) of a dot product above which a different arithmetic is suspected, p_i = a_i b_i
// of mean zero: 2.3 u sqrt(k), eight times the error of a sequential sum. Such a result is classified, never failed.
double suspect_threshold(double k, Precision precision);

}  // namespace envdoctor::kernels
