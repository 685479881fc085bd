#include "kernels/core/compare_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/classify/error_patterns.h"

namespace envdoctor::kernels {
namespace {

// Upper ends of the histogram's classes in ulp: 0, 1, 2, 4, … 4096; one class more for what lies above.
constexpr int histogram_classes = 15;

struct ElementCheck {
  bool right = true, same = true, flushed = false;
  double ulps = 0;
  double over_bound = 0;  // error / bound
  double error = 0;
};

double at(const std::vector<double>& values, std::size_t i, double otherwise) {
  return values.empty() ? otherwise : values[i];
}

// May a result of this size have been flushed? Double precision must keep subnormals (OpenCL C, 7.5.3; CUDA keeps
// them).
bool may_flush(Precision precision) { return is_floating(precision) && precision != Precision::fp64; }

bool overflow_is_right(Precision precision, double got, double value, double bound) {
  const double largest = largest_finite(precision);
  return std::signbit(got) == std::signbit(value) && std::fabs(value) + bound >= largest + ulp(precision, largest) / 2;
}

// One element against one candidate value.
ElementCheck check_value(const Array& got, std::size_t i, double value, double low, double bound) {
  const Precision precision = got.precision;
  const double g = got.value(i);
  ElementCheck check;
  check.same = got.bits(i) == rounded_bits(precision, value, low);
  if (check.same) {
    check.ulps = std::isfinite(value) ? ulps_off(precision, g, value, low) : 0;
    const double error = std::isfinite(g) ? std::fabs((g - value) - low) : 0;
    check.over_bound = bound > 0 ? std::min(1.0, error / bound) : 0;
    return check;
  }
  if (std::isnan(value) || std::isnan(g)) {
    check.right = std::isnan(value) && std::isnan(g);
    check.ulps = check.right ? 0 : NAN;
    return check;
  }
  if (std::isinf(value) || std::isinf(g)) {
    check.right = g == value || (std::isinf(g) && overflow_is_right(precision, g, value, bound));
    check.ulps = check.right ? 0 : HUGE_VAL;
    return check;
  }
  const double allowed = std::max(bound, ulp(precision, value, low) / 2);
  const double error = std::fabs((g - value) - low);
  check.ulps = ulps_off(precision, g, value, low);
  check.error = error;
  check.over_bound = error / allowed;
  check.right = error <= allowed;
  return check;
}

// OpenCL's four results (OpenCL C, 7.5.3): conforming; zero for a result below the smallest normal number; the
// conforming result for operands with their subnormals replaced by zero; zero for that.
bool right_when_flushed(const Array& got, std::size_t i, const Expected& expected, double value, double bound) {
  const Precision precision = got.precision;
  const double g = got.value(i);
  const auto zero_may_stand_for = [&](double v) { return g == 0 && std::fabs(v) - bound < smallest_normal(precision); };
  if (std::isfinite(value) && value != 0 && zero_may_stand_for(value)) return true;
  const double flushed = at(expected.flushed, i, NAN);
  if (std::isnan(flushed)) return false;
  if (flushed == 0 || std::isinf(flushed)) return std::fabs(g) == std::fabs(flushed);
  return check_value(got, i, flushed, 0, std::max(bound, 4 * ulp(precision, flushed))).right ||
         zero_may_stand_for(flushed);
}

ElementCheck check_element(const Array& got, std::size_t i, const Expected& expected) {
  if (!expected.exact) {
    const double value = expected.value[i], bound = at(expected.bound, i, 0);
    ElementCheck check = check_value(got, i, value, at(expected.low, i, 0), bound);
    if (!check.right && may_flush(got.precision) && right_when_flushed(got, i, expected, value, bound))
      check.right = check.flushed = true;
    return check;
  }
  ElementCheck check;
  if (got.bits(i) == expected.exact->bits(i)) return check;
  check.same = false;
  const bool floating = is_floating(got.precision);
  const double g = got.value(i), value = expected.exact->value(i);
  check.ulps = floating ? ulps_off(got.precision, g, value) : 0;
  check.over_bound = HUGE_VAL;
  check.right = expected.also_exact && got.bits(i) == expected.also_exact->bits(i);
  if (!check.right && floating) {
    check.right = std::isnan(g) && std::isnan(value);
    if (!check.right && may_flush(got.precision) && right_when_flushed(got, i, expected))
      check.right = check.flushed = true;
  }
  if (check.right) check.over_bound = 1;
  return check;
}

// The elements of a block that begins here and has the requested bits, or none.
std::size_t same_bits_from(std::size_t i, const Array& got, const Expected& expected) {
  constexpr std::size_t block = 64;
  if (!expected.exact || i % block != 0 || i + block > got.count()) return 0;
  const std::size_t element = size_of(got.precision);
  const auto at = [&](const Array& array) {
    return std::span(array.bytes).subspan(i * element, block * element).data();
  };
  return std::memcmp(at(got), at(*expected.exact), block * element) == 0 ? block : 0;
}

std::size_t histogram_class(double ulps) {
  if (ulps == 0) return 0;
  int c = 1;
  while (c < histogram_classes - 1 && !(ulps <= std::ldexp(1.0, c - 1))) ++c;  // NaN counts as the largest
  return static_cast<std::size_t>(c);
}

// More than half of 16 or more elements zero, or the same value.
bool mostly_one_value(const Array& got) {
  const std::size_t count = got.count();
  if (count < 16) return false;
  std::vector<std::uint64_t> sorted(count);
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sorted[i] = got.bits(i);
    zeros += got.value(i) == 0 ? 1 : 0;
  }
  if (2 * zeros > count) return true;
  // A value in more than half of the elements is the median.
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::ranges::nth_element(sorted, middle);
  return 2 * static_cast<std::size_t>(std::ranges::count(sorted, *middle)) > count;
}

std::string hex(Precision precision, std::uint64_t bits) {
  return fmt::format("0x{:0{}x}", bits, 2 * size_of(precision));
}

// Eight of the wrong elements, evenly spread.
std::vector<ComputeSample> samples_of(const Array& got, const Expected& expected,
                                      const std::vector<std::size_t>& wrong) {
  std::vector<ComputeSample> samples;
  const std::size_t shown = std::min<std::size_t>(8, wrong.size());
  for (std::size_t s = 0; s < shown; ++s) {
    const std::size_t i = wrong[shown == 1 ? 0 : s * (wrong.size() - 1) / (shown - 1)];
    samples.push_back({.index = static_cast<std::int64_t>(i),
                       .got = hex(got.precision, got.bits(i)),
                       .expected = hex(got.precision, expected.right_bits(i))});
  }
  return samples;
}

Comparison mismatch(std::string why) {
  Comparison comparison;
  comparison.agreement.outcome = "outside";
  comparison.agreement.pattern = std::move(why);
  comparison.wrong = {0};
  return comparison;
}

}  // namespace

bool right_when_flushed(const Array& got, std::size_t i, const Expected& expected) {
  if (!is_floating(got.precision)) return false;
  return right_when_flushed(got, i, expected, expected.right_value(i), at(expected.bound, i, 0)) ||
         (expected.also_exact && right_when_flushed(got, i, expected, expected.also_exact->value(i), 0));
}

Comparison compare(const Array& got, const Expected& expected, std::int64_t columns) {
  if (got.precision != expected.precision) return mismatch("another precision than asked for");
  if (got.count() != expected.count()) return mismatch("another number of elements than asked for");
  Comparison result;
  Agreement& agreement = result.agreement;
  std::vector<std::int64_t> histogram(histogram_classes, 0);
  double max_ulp = 0, max_over = 0, squares = 0;
  bool all_same = true;
  std::size_t bounded = 0;
  for (std::size_t i = 0; i < got.count(); ++i) {
    if (const std::size_t same = same_bits_from(i, got, expected); same > 0) {
      histogram.front() += static_cast<std::int64_t>(same);
      bounded += same;
      i += same - 1;
      continue;
    }
    const ElementCheck check = check_element(got, i, expected);
    all_same = all_same && check.same;
    if (check.flushed) {
      ++result.flushed;
      continue;
    }
    ++histogram[histogram_class(check.same ? 0 : check.ulps)];
    if (!check.right) {
      result.wrong.push_back(i);
      result.poison += got.is_poison(i) ? 1 : 0;
      const bool finite = is_floating(got.precision) && std::isfinite(expected.right_value(i));
      result.not_numbers += finite && !std::isfinite(got.value(i)) ? 1 : 0;
    }
    if (check.right && !expected.probable.empty() &&
        check.error > std::max(expected.probable[i], ulp(got.precision, expected.value[i], at(expected.low, i, 0)) / 2))
      result.improbable.push_back(i);
    if (std::isfinite(check.ulps)) max_ulp = std::max(max_ulp, check.ulps);
    if (std::isfinite(check.over_bound)) {
      max_over = std::max(max_over, check.over_bound);
      squares += check.over_bound * check.over_bound;
      ++bounded;
    }
  }
  if (bounded > 0) result.mean_square_over_bound = squares / static_cast<double>(bounded);
  agreement.elements = static_cast<std::int64_t>(got.count());
  agreement.wrong = static_cast<std::int64_t>(result.wrong.size());
  agreement.outcome = !result.wrong.empty()                       ? "outside"
                      : got.count() == 0 || mostly_one_value(got) ? "not-trustworthy"
                      : all_same                                  ? "same-bits"
                                                                  : "within-bound";
  if (is_floating(got.precision)) {
    agreement.max_ulp = max_ulp;
    if (!expected.exact) agreement.error_over_bound = max_over;
    agreement.ulp_histogram = histogram;
  } else {
    agreement.max_ulp = absent("whole numbers are right or wrong");
  }
  if (!result.wrong.empty()) {
    agreement.pattern = pattern_of(got, expected, result.wrong, columns).text;
    agreement.samples = samples_of(got, expected, result.wrong);
  }
  return result;
}

std::vector<std::size_t> differing(const Array& one, const Array& other) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < std::min(one.count(), other.count()); ++i) {
    if (one.bits(i) != other.bits(i)) places.push_back(i);
  }
  return places;
}

}  // namespace envdoctor::kernels
