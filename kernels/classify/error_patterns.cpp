#include "kernels/classify/error_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

namespace envdoctor::kernels {
namespace {

using Places = std::vector<std::size_t>;

struct Case {
  const Array& got;
  const Expected& expected;
  const Places& wrong;
  std::size_t columns;
  [[nodiscard]] std::size_t count() const { return got.count(); }
  template <class Test>
  [[nodiscard]] bool most(const Test& test) const {  // nine of ten
    return 10 * static_cast<std::size_t>(std::ranges::count_if(wrong, test)) >= 9 * wrong.size();
  }
};

std::string of_all(const Case& c) { return fmt::format("{} of {} elements", c.wrong.size(), c.count()); }

std::string place(const Case& c, std::size_t i) {
  if (c.columns == 0) return fmt::format("element {}", i);
  return fmt::format("row {}, column {}", i / c.columns, i % c.columns);
}

Pattern not_written(const Case& c) {
  const auto left = std::ranges::count_if(c.wrong, [&](std::size_t i) { return c.got.is_poison(i); });
  if (left == 0) return {};
  return {Shape::not_written,
          fmt::format("{} of {} elements never written, first {}", left, c.count(),
                      place(c, *std::ranges::find_if(c.wrong, [&](std::size_t i) { return c.got.is_poison(i); })))};
}

// Whether an element's value, or its value with these bits, is within the bound of element `of`.
bool fits(const Case& c, std::size_t of, std::uint64_t bits) {
  if (c.expected.exact) return bits == c.expected.right_bits(of);
  Array one(c.got.precision, 1);
  one.set_bits(0, bits);
  const double right = c.expected.value[of];
  return std::fabs(one.value(0) - right) <= std::max(c.expected.bound_of(of), ulp(c.got.precision, right));
}

// The bit that makes this element right when flipped back; nothing if there is none, or several.
std::optional<int> turned_bit(const Case& c, std::size_t i) {
  const std::uint64_t turned = c.got.bits(i) ^ c.expected.right_bits(i);
  if (c.expected.exact) return std::popcount(turned) == 1 ? std::optional(std::countr_zero(turned)) : std::nullopt;
  // Far outside: otherwise a flipped low bit explains any error.
  const double error = std::fabs(c.got.value(i) - c.expected.value[i]);
  if (error < 64 * c.expected.bound_of(i)) return {};
  std::optional<int> found;
  // Against a rounded reference the lowest bits differ legally.
  for (int bit = 8; bit < static_cast<int>(8 * size_of(c.got.precision)); ++bit) {
    if (!fits(c, i, c.got.bits(i) ^ std::uint64_t{1} << bit)) continue;
    if (found) return {};
    found = bit;
  }
  return found;
}

Pattern one_bit(const Case& c) {
  if (c.wrong.size() > 8 || 16 * c.wrong.size() > c.count()) return {};
  std::set<int> bits;
  for (const std::size_t i : c.wrong) {
    const std::optional<int> bit = turned_bit(c, i);
    if (!bit) return {};
    bits.insert(*bit);
  }
  std::string list;
  for (const int bit : bits) list += fmt::format("{}{}", list.empty() ? "" : ", ", bit);
  return {Shape::one_bit, fmt::format("{} isolated {} with one bit flipped (bit {}), first {}", c.wrong.size(),
                                      c.wrong.size() == 1 ? "word" : "words", list, place(c, c.wrong.front()))};
}

// A stuck data line: the same bit of each wrong word, always set or never.
Pattern stuck_bit(const Case& c) {
  if (c.wrong.size() <= 8) return {};
  const auto turned = [&](std::size_t i) {
    const std::uint64_t bits = c.got.bits(i) ^ c.expected.right_bits(i);
    return c.expected.exact ? bits : bits & ~std::uint64_t{0xff};
  };
  const std::uint64_t bit = turned(c.wrong.front()), set = c.got.bits(c.wrong.front()) & bit;
  // Numbers that all lack their sign may as well come from another calculation.
  const bool sign = is_floating(c.got.precision) && bit == std::uint64_t{1} << (8 * size_of(c.got.precision) - 1);
  const bool all = std::popcount(bit) == 1 && !sign && std::ranges::all_of(c.wrong, [&](std::size_t i) {
                     return turned(i) == bit && (c.got.bits(i) & bit) == set;
                   });
  // And the stuck value may not be right anywhere.
  for (std::size_t i = 0; all && i < c.count(); ++i) {
    if ((c.got.bits(i) & bit) != set) return {};
  }
  if (!all) return {};
  return {Shape::stuck_bit, fmt::format("bit {} is {} set, which is wrong in {}", std::countr_zero(bit),
                                        set != 0 ? "always" : "never", of_all(c))};
}

Pattern byte_order(const Case& c) {
  if (c.wrong.size() < 8) return {};
  const auto reversed = [&](std::uint64_t bits) {
    std::uint64_t out = 0;
    for (std::size_t byte = 0; byte < size_of(c.got.precision); ++byte, bits >>= 8) out = out << 8 | (bits & 255);
    return out;
  };
  if (!c.most([&](std::size_t i) { return fits(c, i, reversed(c.got.bits(i))); })) return {};
  return {Shape::byte_order, of_all(c) + " have their bytes in reverse order"};
}

// The element for which a value would be right: by its bits, if these identify an element.
std::unordered_map<std::size_t, std::size_t> sources_by_bits(const Case& c) {
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t i = 0; i < c.count(); ++i) {
    const std::uint64_t bits = c.expected.right_bits(i);
    places[bits] = places.contains(bits) ? c.count() : i;  // count(): not unique
  }
  std::unordered_map<std::size_t, std::size_t> sources;
  for (const std::size_t i : c.wrong) {
    const auto found = places.find(c.got.bits(i));
    if (found != places.end() && found->second != c.count()) sources[i] = found->second;
  }
  return sources;
}

// The same if results are rounded and a value may match many elements: by the distances, or the mirrors, that a
// quarter of a sample share.
std::unordered_map<std::size_t, std::size_t> sources_by_rule(const Case& c) {
  using Rule = std::pair<bool, std::int64_t>;  // mirrored: the sum of both places; otherwise their distance
  const auto source = [&](const Rule& rule, std::size_t i) {
    const std::int64_t place = static_cast<std::int64_t>(i),
                       from = rule.first ? rule.second - place : place + rule.second;
    return from >= 0 && from < static_cast<std::int64_t>(c.count()) ? static_cast<std::size_t>(from) : i;
  };
  using Element = std::pair<double, std::size_t>;
  std::vector<Element> sorted;
  double widest = 0;
  for (std::size_t i = 0; i < c.count(); ++i) {
    if (!std::isfinite(c.expected.value[i])) continue;
    sorted.emplace_back(c.expected.value[i], i);
    if (std::isfinite(c.expected.bound_of(i))) widest = std::max(widest, c.expected.bound_of(i));
  }
  std::ranges::sort(sorted);
  constexpr std::size_t sampled = 64, most_candidates = 4096;
  const std::size_t samples = std::min(sampled, c.wrong.size());
  std::map<Rule, std::size_t> votes;
  for (std::size_t s = 0; s < samples; ++s) {
    const std::size_t i = c.wrong[s * 2654435761U % c.wrong.size()];  // samples even and odd places
    const double got = c.got.value(i);
    if (!std::isfinite(got)) continue;
    const double reach = widest + ulp(c.got.precision, got);
    auto near = std::ranges::lower_bound(sorted, got - reach, {}, &Element::first);
    for (std::size_t tried = 0; near != sorted.end() && near->first <= got + reach && tried < most_candidates;
         ++near, ++tried) {
      if (near->second == i || !fits(c, near->second, c.got.bits(i))) continue;
      const auto from = static_cast<std::int64_t>(near->second), to = static_cast<std::int64_t>(i);
      ++votes[{false, from - to}];
      ++votes[{true, from + to}];
    }
  }
  std::unordered_map<std::size_t, std::size_t> sources;
  for (const auto& [rule, count] : votes) {
    if (4 * count < samples) continue;
    for (const std::size_t i : c.wrong) {
      const std::size_t from = source(rule, i);
      if (from != i && fits(c, from, c.got.bits(i))) sources[i] = from;
    }
  }
  return sources;
}

// Values that are right for another element.
Pattern other_index(const Case& c) {
  if (c.wrong.size() < 2 || c.count() < 8) return {};
  auto sources = sources_by_bits(c);
  if (10 * sources.size() < 9 * c.wrong.size() && !c.expected.exact && c.wrong.size() >= 8)
    sources = sources_by_rule(c);
  std::size_t elsewhere = 0, example = 0;
  std::map<std::int64_t, std::size_t> shifts;
  std::set<std::size_t> distinct;
  for (const std::size_t i : c.wrong) {
    const auto found = sources.find(i);
    if (found == sources.end()) continue;
    if (elsewhere++ == 0) example = i;
    distinct.insert(found->second);
    ++shifts[static_cast<std::int64_t>(found->second) - static_cast<std::int64_t>(i)];
  }
  // One value in many places, such as zero, was not moved from another place.
  if (10 * elsewhere < 9 * c.wrong.size() || 2 * distinct.size() < elsewhere) return {};
  const auto common = std::ranges::max_element(shifts, {}, [](const auto& s) { return s.second; });
  const std::string shift =
      2 * common->second > elsewhere ? fmt::format(", mostly {:+} elements away", common->first) : "";
  return {Shape::other_index,
          fmt::format("{} hold values of other elements{}, first {}", of_all(c), shift, place(c, example))};
}

// Whether almost all elements in [begin, end) of a row or of the vector are wrong.
bool dense(std::size_t wrong, std::size_t all) { return 10 * wrong >= 9 * all; }

Pattern tail(const Case& c) {
  const std::size_t first = c.wrong.front(), length = c.count() - first;
  if (!dense(c.wrong.size(), length) || c.wrong.back() != c.count() - 1 || first == 0) return {};
  const bool short_tail = 4 * length <= c.count();
  return {short_tail ? Shape::tail : Shape::from_some_index,
          fmt::format("{} from {} on", short_tail ? fmt::format("the last {} elements", length) : "all elements",
                      place(c, first))};
}

Pattern columns(const Case& c) {
  if (c.columns == 0) return {};
  const std::size_t rows = c.count() / c.columns;
  std::set<std::size_t> which;
  for (const std::size_t i : c.wrong) which.insert(i % c.columns);
  if (rows < 2 || 4 * which.size() > c.columns || !dense(c.wrong.size(), which.size() * rows)) return {};
  const bool together = *which.rbegin() - *which.begin() + 1 == which.size();
  return {Shape::columns, together && *which.rbegin() == c.columns - 1
                              ? fmt::format("the last {} columns of every row", which.size())
                              : fmt::format("{} whole columns, first column {}", which.size(), *which.begin())};
}

// One block of rows and columns that is almost entirely wrong.
Pattern tile(const Case& c) {
  if (c.columns < 2 || c.wrong.size() < 4) return {};
  const std::size_t top = c.wrong.front() / c.columns, bottom = c.wrong.back() / c.columns;
  const auto column = [&](std::size_t i) { return i % c.columns; };
  const auto [left, right] = std::ranges::minmax(c.wrong, {}, column);
  const std::size_t height = bottom - top + 1, width = column(right) - column(left) + 1;
  if (2 * width * height > c.count() || !dense(c.wrong.size(), width * height)) return {};
  return {Shape::tile, fmt::format("a {} x {} tile at row {}, column {}", height, width, top, column(left))};
}

Pattern run(const Case& c) {
  const std::size_t length = c.wrong.back() - c.wrong.front() + 1;
  if (c.columns >= 2 || c.wrong.size() < 4 || !dense(c.wrong.size(), length) || 2 * length > c.count()) return {};
  return {Shape::tile, fmt::format("one run of {} elements from {}", length, place(c, c.wrong.front()))};
}

// The same residue of the index: one lane of a vector, one item of each group.
Pattern every_nth(const Case& c) {
  for (const std::size_t step : {2, 4, 8, 16, 32, 64, 128, 256}) {
    if (c.count() < 4 * step) break;
    const std::size_t residue = c.wrong.front() % step;
    const bool all = std::ranges::all_of(c.wrong, [&](std::size_t i) { return i % step == residue; });
    if (all && dense(c.wrong.size(), c.count() / step))
      return {Shape::every_nth, fmt::format("every {}th element, beginning with {}", step, residue)};
  }
  return {};
}

Pattern isolated(const Case& c) {
  const bool few = c.wrong.size() <= 8 || 1000 * c.wrong.size() <= c.count();
  if (!few || 4 * c.wrong.size() > c.count()) return {};
  for (std::size_t i = 1; i < c.wrong.size(); ++i) {
    if (c.wrong[i] - c.wrong[i - 1] == 1) return {};
  }
  return {Shape::isolated, fmt::format("{} isolated {}, first {}", c.wrong.size(),
                                       c.wrong.size() == 1 ? "element" : "elements", place(c, c.wrong.front()))};
}

Pattern zeros(const Case& c) {
  if (c.wrong.size() < 2 || !c.most([&](std::size_t i) { return c.got.value(i) == 0; })) return {};
  return {Shape::zeros, fmt::format("{} are zero", of_all(c))};
}

}  // namespace

Pattern pattern_of(const Array& got, const Expected& expected, const Places& wrong, std::int64_t output_columns) {
  if (wrong.empty()) return {};
  const Case c{got, expected, wrong, static_cast<std::size_t>(std::max<std::int64_t>(0, output_columns))};
  for (const auto look : {not_written, one_bit, stuck_bit, byte_order, other_index, tail, columns, tile, run, every_nth,
                          zeros, isolated}) {
    Pattern pattern = look(c);
    if (pattern.shape == Shape::none) continue;
    if (pattern.shape != Shape::zeros && zeros(c).shape == Shape::zeros) pattern.text += ", all zero";
    return pattern;
  }
  if (10 * wrong.size() >= 9 * c.count()) return {Shape::all, of_all(c) + ", everywhere"};
  return {Shape::scattered, fmt::format("{}, scattered, first {}", of_all(c), place(c, wrong.front()))};
}

}  // namespace envdoctor::kernels
