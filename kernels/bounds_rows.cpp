// Bounds of what is computed row by row: softmax, logsumexp, layer normalisation.
#include <algorithm>
#include <cmath>

#include "kernels/bounds.h"

namespace envdoctor::kernels {
namespace {

// A sum of relative errors that may each stand on either side of a quotient: R / (1 - R) covers their product (Higham,
// lemma 3.1).
double compounded(double relative) { return relative < 1 ? relative / (1 - relative) : HUGE_VAL; }

struct Shifted {
  double top = 0;         // the largest element
  double sum = 0;         // of exp(x - top)
  double mean_shift = 0;  // of |x - top|, weighted by exp(x - top): what rounding of the differences does to the sum
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

std::vector<double> softmax_bounds(std::span<const double> x, double depth, Precision precision) {
  const double u = unit_roundoff(precision), tiny = lost_to_underflow(precision, true);
  const Shifted s = shift(x);
  const double shared =
      s.mean_shift + 2 * relative_error("exp", precision) + relative_error("divide", precision) + depth + 2;
  std::vector<double> bounds(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = std::fabs(x[i] - s.top), w = std::exp(-t) / s.sum;
    // An element whose exponential vanishes may be off by that; |t| doesn't matter for it.
    const double relative = w > 0 ? compounded(u * (t + shared)) : 0;
    bounds[i] = w * relative + 2 * tiny;
  }
  return bounds;
}

double logsumexp_bound(std::span<const double> x, double depth, Precision precision) {
  const double u = unit_roundoff(precision);
  const Shifted s = shift(x);
  const double sum_error = compounded(u * (s.mean_shift + relative_error("exp", precision) + depth + 1));
  const double log_error = std::log(s.sum) * relative_error("log", precision) * u;
  const double before = compounded(sum_error) + log_error * (1 + sum_error);
  return before + u * (std::fabs(s.top + std::log(s.sum)) + before) +
         static_cast<double>(x.size()) * lost_to_underflow(precision, true);
}

std::vector<double> layernorm_bounds(std::span<const double> x, std::span<const double> gain,
                                     std::span<const double> offset, double epsilon, double chain,
                                     Precision precision) {
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
  // The mean's error is the same for every element, so that it enters the variance by its square alone.
  const double shift = variance + epsilon > 0 ? mean_error * mean_error / (variance + epsilon) : HUGE_VAL;
  const double rho = gamma(chain + 4 + divide + 1, u) * (1 + shift) + shift + u;
  const double root = rho < 1 ? 1 / std::sqrt(1 - rho) - 1 : HUGE_VAL;
  // rsqrt, or a root and a division.
  const double rsqrt = std::max(relative_error("rsqrt", precision), relative_error("sqrt", precision) + divide);
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
