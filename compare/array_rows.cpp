#include "compare/array_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace envdoctor::compare {
namespace {

constexpr std::int64_t most_rows = 1 << 18;

}  // namespace

RowOrder::RowOrder(const Layout& layout, bool complex) {
  const bool flat = layout.lines == 1;
  const std::int64_t rows = flat ? layout.width : layout.lines;
  width_ = (flat ? 1 : layout.width) * (complex ? 2 : 1);
  rows_ = flat ? "numbers" : layout.fortran_order ? "columns" : "rows";
  if (rows < 2 || rows > most_rows) return;
  a_.resize(static_cast<std::size_t>(rows));
  b_.resize(a_.size());
}

void RowOrder::take(const Numbers& a, const Numbers& b, std::int64_t first) {
  if (a_.empty()) return;
  auto row = static_cast<std::size_t>(first / width_);
  std::int64_t left = width_ - first % width_;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const auto add = [i](Row& to, const Numbers& from) {
      to.hash = (to.hash ^ from.bits[i]) * 0x9E3779B97F4A7C15U;
      to.hash ^= to.hash >> 29;
      to.squares += from.values[i] * from.values[i];
      to.sum += from.values[i];
    };
    add(a_[row], a);
    add(b_[row], b);
    if (--left == 0) {
      ++row;
      left = width_;
    }
  }
}

// Bit-identical rows, or rows with equal sizes and sums, in a different order.
std::string RowOrder::hint() const {
  if (a_.empty() || a_ == b_) return "";
  auto sorted_a = a_, sorted_b = b_;
  std::ranges::sort(sorted_a, {}, &Row::hash);
  std::ranges::sort(sorted_b, {}, &Row::hash);
  if (std::ranges::equal(sorted_a, sorted_b, {}, &Row::hash, &Row::hash))
    return fmt::format("B holds the {} of A in another order.", rows_);
  if (width_ < 8) return "";
  const auto near = [](const Row& a, const Row& b) {
    const double size = std::sqrt(a.squares);
    return std::fabs(size - std::sqrt(b.squares)) <= 4e-3 * size && std::fabs(a.sum - b.sum) <= 4e-2 * size;
  };
  const auto differing = std::ranges::count_if(
      a_, [&](const Row& row) { return !near(row, b_[static_cast<std::size_t>(&row - a_.data())]); });
  std::ranges::sort(sorted_a, {}, &Row::squares);
  std::ranges::sort(sorted_b, {}, &Row::squares);
  std::int64_t differing_sorted = 0;
  for (std::size_t i = 0; i < sorted_a.size(); ++i) differing_sorted += !near(sorted_a[i], sorted_b[i]);
  if (differing < 2 || differing_sorted * 10 > differing) return "";
  return fmt::format("B seems to hold the {} of A in another order: their sizes and sums agree once sorted.", rows_);
}

}  // namespace envdoctor::compare
