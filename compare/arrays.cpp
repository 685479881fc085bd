#include "compare/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "compare/array_pair.h"
#include "compare/array_rows.h"

namespace envdoctor::compare {
namespace {

constexpr std::size_t piece = 1 << 15;  // numbers at a time

std::size_t class_of(double ulps) {
  if (ulps == 0) return 0;
  std::size_t at = 1;
  for (double end = 1; ulps > end && at + 1 < histogram_classes; end *= 2) ++at;
  return at;
}

// The gap at a, towards b.
double gap(double a, double b, const Type& type) {
  int exponent = 0;
  const bool power = std::fabs(std::frexp(a, &exponent)) == 0.5, inward = std::fabs(b) < std::fabs(a);
  return ulp_at(power && inward ? a * 0.75 : a, type);
}

// The index of the largest number of the row, like numpy.argmax.
struct Largest {
  double value = 0;
  std::int64_t at = -1;
  void take(double number, std::int64_t place) {
    if (at >= 0 && (std::isnan(value) || number <= value)) return;
    value = number;
    at = place;
  }
};

// The first pass.
class Describer {
 public:
  Describer(ArrayDifference& to, LineSums& sums)
      : to_(to),
        sums_(sums),
        rows_(to.layout, to.type.complex),
        both_floating_(to.type_a.kind == Kind::floating && to.type_b.kind == Kind::floating),
        smallest_(to.floating() ? std::ldexp(1.0, to.type.min_exponent) : 0) {}

  void take(const Numbers& a, const Numbers& b, std::int64_t first) {
    rows_.take(a, b, first);
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      const std::int64_t at = first + static_cast<std::int64_t>(i);
      add_to_sums(a.values[i], at);
      if (to_.top_one) add_to_rows(a.values[i], b.values[i], at);
      const bool same_bits = a.bits[i] == b.bits[i] && to_.type_a.name == to_.type_b.name;
      if (same_bits) ++to_.ulp_histogram[0];
      if (same_bits && std::isnan(a.values[i])) ++to_.both_nan;
      if (!same_bits) compare(a, b, i, at);
    }
  }

  void finish() {
    const auto count = static_cast<long double>(std::max<std::int64_t>(finite_, 1));
    to_.rms_difference = static_cast<double>(std::sqrt(difference_ / count));
    to_.rms_reference = static_cast<double>(std::sqrt(reference_ / count));
    if (fourth_ > 0) sums_.carriers = static_cast<double>(reference_ / fourth_ * reference_);
    to_.one_sign = positive_ != negative_;
    for (long double& sum : sums_.lines) sum /= static_cast<long double>(sums_.width * sums_.lines_together);
    if (to_.differing > 1) to_.hint = rows_.hint();
  }

 private:
  void add_to_sums(double a, std::int64_t at) {
    if (!std::isfinite(a)) return;
    positive_ = positive_ || a > 0;
    negative_ = negative_ || a < 0;
    ++finite_;
    const long double square = static_cast<long double>(a) * a;
    reference_ += square;
    fourth_ += square * square;
    if (sums_.lines.empty()) return;
    sums_.lines[static_cast<std::size_t>(at / sums_.width / sums_.lines_together)] += square;
  }

  void add_to_rows(double a, double b, std::int64_t at) {
    const std::int64_t column = at % to_.layout.width;
    if (column == 0) largest_a_ = largest_b_ = {};
    largest_a_.take(a, column);
    largest_b_.take(b, column);
    if (column + 1 < to_.layout.width) return;
    ++to_.top_one->rows;
    to_.top_one->agree += largest_a_.at == largest_b_.at;
  }

  void compare(const Numbers& a, const Numbers& b, std::size_t i, std::int64_t at) {
    const double x = a.values[i], y = b.values[i];
    const long double exact_x = exact(a.bits[i], x, to_.type_a), exact_y = exact(b.bits[i], y, to_.type_b);
    const bool nan_x = std::isnan(x), nan_y = std::isnan(y);
    if (exact_x == exact_y || (nan_x && nan_y)) {
      to_.both_nan += nan_x;
      to_.nan_payload += nan_x && to_.type_a.name == to_.type_b.name;
      to_.sign_of_zero += x == 0 && std::signbit(x) != std::signbit(y);
      ++to_.ulp_histogram[0];
      return;
    }
    ++to_.differing;
    const std::int64_t element = to_.type.complex ? at / 2 : at;
    to_.where.add(element, to_.layout);
    const bool finite = std::isfinite(x) && std::isfinite(y);
    const long double off = finite ? std::fabs(exact_x - exact_y) : INFINITY;
    if (off > worst_) {
      worst_ = off;
      to_.worst_at = at;
      to_.worst_a = number_text(a.bits[i], x, to_.type_a);
      to_.worst_b = number_text(b.bits[i], y, to_.type_b);
    }
    if (to_.rtol && !(off <= *to_.atol + *to_.rtol * std::fabs(exact_x))) to_.beyond.add(element, to_.layout);
    if (!finite) {
      ++(nan_x || nan_y ? to_.not_a_number : to_.infinite);
      ++to_.ulp_histogram.back();
      to_.last_bits = false;
      return;
    }
    add_distance(x, y, off, at);
  }

  void add_distance(double x, double y, long double off, std::int64_t at) {
    difference_ += off * off;
    to_.max_absolute = std::max(to_.max_absolute, static_cast<double>(off));
    if (x == 0 || y == 0)
      ++(std::max(std::fabs(x), std::fabs(y)) < smallest_ ? to_.flushed : x == 0 ? to_.zero_in_a : to_.zero_in_b);
    if (x != 0 && off > static_cast<long double>(to_.max_relative) * std::fabs(x)) {
      to_.max_relative = static_cast<double>(off / std::fabs(static_cast<long double>(x)));
      to_.worst_relative_at = at;
    }
    const double ulps = static_cast<double>(to_.floating() ? off / gap(x, y, to_.type) : off);
    ++to_.ulp_histogram[class_of(ulps)];
    to_.max_ulp = std::max(to_.max_ulp, ulps);
    to_.last_bits = to_.last_bits && both_floating_ && off <= ulp_at(std::max(std::fabs(x), std::fabs(y)), to_.type);
  }

  ArrayDifference& to_;
  LineSums& sums_;
  RowOrder rows_;
  bool both_floating_;
  double smallest_;
  long double difference_ = 0, reference_ = 0, fourth_ = 0, worst_ = -1;
  std::int64_t finite_ = 0;
  bool positive_ = false, negative_ = false;
  Largest largest_a_{}, largest_b_{};
};

std::string shape_text(const Header& header) { return fmt::format("({})", fmt::join(header.shape, ", ")); }

// Floating types before integers; of two floating types the one with fewer digits.
Type coarser(const Type& a, const Type& b) {
  const bool float_a = a.kind == Kind::floating, float_b = b.kind == Kind::floating;
  if (float_a != float_b) return float_a ? a : b;
  return float_a && b.digits < a.digits ? b : a;
}

ArrayDifference difference_of(const ArrayPair& pair, const std::string& name, const Operation& operation) {
  const Header one = pair.open_a().header(), other = pair.open_b().header();
  ArrayDifference to{.name = name, .type_a = one.type, .type_b = other.type, .type = coarser(one.type, other.type)};
  if (one.shape != other.shape)
    to.error = fmt::format("the shapes differ: {} and {}", shape_text(one), shape_text(other));
  else if (one.type.complex != other.type.complex)
    to.error = "one is complex and the other is not";
  if (!to.error.empty()) {
    pair.open_a().check_rest();  // the shape in a damaged file must not be reported as a difference
    pair.open_b().check_rest();
    return to;
  }
  const auto wide = std::ranges::count_if(one.shape, [](std::int64_t extent) { return extent > 1; });
  if (one.fortran_order != other.fortran_order && wide > 1)
    throw BadArray(
        fmt::format("{}: in Fortran order, while {} is in C order: save both alike (numpy.ascontiguousarray)",
                    (one.fortran_order ? pair.open_a : pair.open_b)().name(),
                    (one.fortran_order ? pair.open_b : pair.open_a)().name()));
  to.count = one.count;
  to.layout = Layout(one.shape, one.fortran_order && wide > 1);
  if (operation.name == "network") {
    const auto [rtol, atol] = tolerance_of(to.type);
    to.rtol = operation.rtol.value_or(rtol);
    to.atol = operation.atol.value_or(atol);
    if (one.shape.size() == 2 && to.layout.width > 1 && !to.layout.fortran_order && !one.type.complex)
      to.top_one = TopOne{};
  }
  LineSums sums = sums_for(operation, to.layout, one.type.complex);
  Describer describer(to, sums);
  pair.read([&](const Numbers& x, const Numbers& y, std::int64_t first) { describer.take(x, y, first); }, true);
  describer.finish();
  judge_arithmetic(to, operation, pair, sums);
  return to;
}

// An array in only one of the two is as bad as a difference.
ArrayDifference lacking(const std::string& name, const std::string& file) {
  ArrayDifference difference{.name = name};
  difference.error = "only in " + file;
  return difference;
}

}  // namespace

void ArrayPair::read(const std::function<void(const Numbers&, const Numbers&, std::int64_t)>& take, bool check) const {
  ArrayReader a = open_a(), b = open_b();
  const std::int64_t count = a.header().count;
  for (std::int64_t index = 0; index < count;) {
    const Numbers &left = a.next(piece), &right = b.next(piece);
    if (left.values.empty() || left.values.size() != right.values.size())
      throw BadArray(fmt::format("{}: changed while it was read", b.name()));
    take(left, right, index);
    index += static_cast<std::int64_t>(left.values.size());
  }
  if (!check) return;
  a.check_rest();
  b.check_rest();
}

std::vector<ArrayDifference> compare_arrays(const std::string& a, const std::string& b, const Operation& operation) {
  const ArrayFile file_a(a), file_b(b);
  const auto compare_one = [&](const std::string& name, const std::string& name_b) {
    return difference_of({[&] { return file_a.open(name); }, [&] { return file_b.open(name_b); }}, name, operation);
  };
  const auto names_a = file_a.names(), names_b = file_b.names();
  std::vector<ArrayDifference> list;
  // An unnamed array is compared with the only array of another file, whatever its name.
  const bool unnamed = names_a.front().empty() || names_b.front().empty();
  if (names_a.size() == 1 && names_b.size() == 1 && unnamed) return {compare_one(names_a.front(), names_b.front())};
  const std::set<std::string> in_a(names_a.begin(), names_a.end()), in_b(names_b.begin(), names_b.end());
  for (const std::string& name : in_a)
    list.push_back(in_b.contains(name) ? compare_one(name, name) : lacking(name, "A"));
  for (const std::string& name : in_b) {
    if (!in_a.contains(name)) list.push_back(lacking(name, "B"));
  }
  return list;
}

}  // namespace envdoctor::compare
