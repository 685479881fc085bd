#include "compare/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/array_file.h"

namespace envdoctor::compare {
namespace {

constexpr std::size_t piece = 1 << 15;  // numbers at a time

struct Format {
  int digits = 24;
  int min_exponent = -126;  // of the smallest normal number
};

Format format_of(const Type& type) {
  if (type.bytes == 2) return {11, -14};
  return type.bytes == 4 ? Format{24, -126} : Format{53, -1022};
}

// The gap between numbers of this format at x; at a power of two the smaller one.
double ulp_at(double x, const Format& format) {
  if (x == 0) return std::ldexp(1.0, format.min_exponent - format.digits + 1);
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);  // [0.5, 1)
  if (fraction == 0.5) --exponent;
  return std::ldexp(1.0, std::max(exponent - 1, format.min_exponent) - format.digits + 1);
}

std::size_t class_of(double ulps) {
  if (ulps == 0) return 0;
  std::size_t at = 1;
  for (double end = 1; ulps > end && at + 1 < histogram_classes; end *= 2) ++at;
  return at;
}

struct Sums {
  double difference = 0, reference = 0;
  std::int64_t finite = 0;
  bool positive = false, negative = false;
};

void take(double a, double b, std::int64_t index, const Format& format, ArrayDifference& to, Sums& sums) {
  ++to.count;
  const bool same = a == b || (std::isnan(a) && std::isnan(b)), finite = std::isfinite(a) && std::isfinite(b);
  if (finite) {
    sums.positive = sums.positive || a > 0;
    sums.negative = sums.negative || a < 0;
    ++sums.finite;
    sums.reference += a * a;
  }
  ++(same ? to.ulp_histogram[0] : to.differing);
  if (same) return;
  if (!finite) {
    ++(std::isnan(a) || std::isnan(b) ? to.not_a_number : to.infinite);
    ++to.ulp_histogram.back();
    return;
  }
  const double off = std::fabs(a - b);
  sums.difference += off * off;
  const double smallest = std::ldexp(1.0, format.min_exponent);
  if ((a == 0 && std::fabs(b) < smallest) || (b == 0 && std::fabs(a) < smallest)) ++to.flushed;
  const double ulps = to.floating ? off / ulp_at(a, format) : off;
  ++to.ulp_histogram[class_of(ulps)];
  to.max_ulp = std::max(to.max_ulp, ulps);
  if (off > to.max_absolute) {
    to.max_absolute = off;
    to.worst_at = index;
    to.worst_a = a;
    to.worst_b = b;
  }
}

std::string shape_text(const Header& header) { return fmt::format("({})", fmt::join(header.shape, ", ")); }

ArrayDifference difference_of(ArrayReader& a, ArrayReader& b, const std::string& name, const Operation& operation) {
  const Header &one = a.header(), &other = b.header();
  ArrayDifference to{.name = name, .type_a = one.type.name, .type_b = other.type.name};
  if (one.shape != other.shape) {
    to.error = fmt::format("the shapes differ: {} and {}", shape_text(one), shape_text(other));
    return to;
  }
  if (one.type.complex != other.type.complex) {
    to.error = "one is complex and the other is not";
    return to;
  }
  const auto wide = std::ranges::count_if(one.shape, [](std::int64_t extent) { return extent > 1; });
  if (one.fortran_order != other.fortran_order && wide > 1)
    throw BadArray(
        fmt::format("{}: in Fortran order, while {} is in C order: save both alike (numpy.ascontiguousarray)",
                    one.fortran_order ? a.name() : b.name(), one.fortran_order ? b.name() : a.name()));
  const bool float_a = one.type.kind == Kind::floating, float_b = other.type.kind == Kind::floating;
  to.floating = float_a || float_b;
  Format format = float_a ? format_of(one.type) : format_of(other.type);
  if (float_a && float_b && other.type.bytes < one.type.bytes) format = format_of(other.type);
  to.digits = format.digits;
  Sums sums;
  for (std::int64_t index = 0; index < one.count;) {
    const auto &left = a.next(piece), &right = b.next(piece);
    for (std::size_t i = 0; i < left.size(); ++i) take(left[i], right[i], index++, format, to, sums);
  }
  if (sums.finite > 0) {
    to.rms_difference = std::sqrt(sums.difference / static_cast<double>(sums.finite));
    to.rms_reference = std::sqrt(sums.reference / static_cast<double>(sums.finite));
  }
  to.one_sign = sums.positive != sums.negative;
  judge_arithmetic(to, operation);
  return to;
}

}  // namespace

std::vector<ArrayDifference> compare_arrays(const std::string& a, const std::string& b, const Operation& operation) {
  const ArrayFile file_a(a), file_b(b);
  const auto compare_one = [&](const std::string& name, const std::string& name_b) {
    ArrayReader one = file_a.open(name), other = file_b.open(name_b);
    ArrayDifference difference = difference_of(one, other, name, operation);
    one.check_rest();
    other.check_rest();
    return difference;
  };
  const auto names_a = file_a.names(), names_b = file_b.names();
  std::vector<ArrayDifference> list;
  if (names_a.size() == 1 && names_b.size() == 1) return {compare_one(names_a.front(), names_b.front())};
  const std::set<std::string> in_a(names_a.begin(), names_a.end()), in_b(names_b.begin(), names_b.end());
  for (const std::string& name : in_a)
    list.push_back(in_b.contains(name) ? compare_one(name, name)
                                       : ArrayDifference{.name = name, .error = "only in " + a});
  for (const std::string& name : in_b) {
    if (!in_a.contains(name)) list.push_back({.name = name, .error = "only in " + b});
  }
  return list;
}

}  // namespace envdoctor::compare
