#include "kernels/ulp.h"

#include <algorithm>
#include <cmath>

namespace envdoctor::kernels {

double ulp(Precision precision, double high, double low) {
  const int bits = significand_bits(precision), lowest = lowest_exponent(precision);
  if (high == 0 || !std::isfinite(high)) return std::ldexp(1.0, lowest - bits + 1);
  int exponent = std::ilogb(high);
  const bool power_of_two = std::fabs(high) == std::ldexp(1.0, exponent);
  if (power_of_two && (low == 0 || std::signbit(low) != std::signbit(high))) --exponent;
  return std::ldexp(1.0, std::max(exponent, lowest) - bits + 1);
}

double ulps_off(Precision precision, double got, double high, double low) {
  if (got == high && low == 0) return 0;  // infinities too
  const double unit =
      ulp(precision, std::fabs(high) > largest_finite(precision) ? largest_finite(precision) : high, low);
  if (!std::isinf(got)) return std::fabs((got - high) - low) / unit;
  // Towards the infinity that was got, `high` lies below the largest finite number.
  const double largest = largest_finite(precision);
  return (largest - std::copysign(1.0, got) * high + ulp(precision, largest)) / unit;
}

}  // namespace envdoctor::kernels
