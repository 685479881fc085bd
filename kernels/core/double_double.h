#pragma once
// Twice the precision of double, as the unevaluated sum of two: for the references of fp64 kernels. Error-free sum
// (Knuth 1969) and product by fma (Ogita, Rump, Oishi 2005); a sum or product of two of these has a relative error of a
// few 2^-105.
#include <cmath>

namespace envdoctor::kernels {

struct DoubleDouble {
  double high = 0, low = 0;

  DoubleDouble() = default;
  DoubleDouble(double value) : high(value) {}  // NOLINT: a double is one of these
  DoubleDouble(double h, double l) : high(h), low(l) {}
};

// a + b exactly, for any order of sizes.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

// a * b exactly, unless the low part underflows.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.high, b.high), low = two_sum(a.low, b.low);
  const DoubleDouble sum = two_sum(high.high, high.low + low.high);
  return two_sum(sum.high, sum.low + low.low);
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.high, b.high);
  return two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

// Long division by two corrections.
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  DoubleDouble rest = a - b * DoubleDouble(first);
  const double second = rest.high / b.high;
  rest = rest - b * DoubleDouble(second);
  return two_sum(first, second) + DoubleDouble(rest.high / b.high);
}

}  // namespace envdoctor::kernels
