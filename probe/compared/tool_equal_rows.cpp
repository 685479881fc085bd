// A batch of equal inputs whose rows come out almost equal: "['a', 'a']", "[prompt] * 4", and the tensor that is
// printed below.
#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/paste/number_blocks.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_statement_of_inputs = 1000;

// "= ['a', 'a']", "= [prompt, prompt]": a list whose elements are the same word.
bool lists_one_thing(std::string_view line) {
  static const LazyRegex list(
      R"([=(] ?\[((?:\w\w+|'[^'][^']+'|"[^"][^"]+")(?:, ?(?:\w\w+|'[^'][^']+'|"[^"][^"]+"))+)\])", RE2::Latin1);
  static const LazyRegex element(R"(('[^']+'|"[^"]+"|[A-Za-z_]\w+))", RE2::Latin1);
  re2::StringPiece inside;
  if (!RE2::PartialMatch(piece_of(line), list, &inside)) return false;
  std::string first, next;
  if (!RE2::FindAndConsume(&inside, element, &first)) return false;
  while (RE2::FindAndConsume(&inside, element, &next))
    if (next != first) return false;
  return next == first;
}

// The rows of the outermost level that has several; empty: they are not of one size.
std::vector<std::vector<double>> rows_of(const NumberArray& array) {
  for (std::size_t level = 2; level < 5; ++level) {
    std::size_t rows = 0, depth = 0;
    for (const char c : array.shape) {
      if (c == '[' && ++depth == level) ++rows;
      if (c == ']' && depth > 0) --depth;
    }
    if (rows < 2) continue;
    std::vector<std::vector<double>> all;
    const std::size_t size = array.numbers.size() / rows;
    if (size * rows != array.numbers.size()) return {};
    for (std::size_t i = 0; i < rows; ++i)
      all.emplace_back(array.numbers.begin() + static_cast<std::ptrdiff_t>(i * size),
                       array.numbers.begin() + static_cast<std::ptrdiff_t>((i + 1) * size));
    return all;
  }
  return {};
}

// Every number is another one's by rounding, and not all are the same.
bool differ_by_rounding(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double of_half = 0.02;
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::fmax(largest, std::fabs(a[i]));
    apart = std::fmax(apart, std::fabs(a[i] - b[i]));
  }
  return apart > 0 && apart < of_half * largest;
}

}  // namespace

bool starts_equal_rows(std::string_view line) {
  if (line.size() > longest_statement_of_inputs || !contains(line, "=") ||
      (!contains(line, "[") && !contains(line, "(")))
    return false;
  static const LazyRegex repeated(
      R"(= ?\[\w{2,40}\] ?\* ?[2-9]|= ?\w+\.(?:repeat|expand)\([2-9]|\btile\(\w+, ?\(?[2-9])", RE2::Latin1);
  const bool may_repeat = contains(line, "]*") || contains(line, "] *") || contains(line, ".repeat(") ||
                          contains(line, ".expand(") || contains(line, "tile(");
  return (contains(line, ",") && lists_one_thing(line)) || (may_repeat && RE2::PartialMatch(piece_of(line), repeated));
}

Snapshot parse_equal_rows(const std::string& text) {
  constexpr std::size_t fewest_numbers = 3;
  Snapshot snapshot;
  if (!speaks_of_a_gpu(text)) return snapshot;
  for (const NumberBlock& block : number_blocks(text)) {
    const auto rows = rows_of(block.array);
    if (rows.size() < 2 || rows[0].size() < fewest_numbers || !block.fractions) continue;
    const bool close =
        std::ranges::all_of(rows, [&](const auto& row) { return row == rows[0] || differ_by_rounding(rows[0], row); });
    if (!close || std::ranges::all_of(rows, [&](const auto& row) { return row == rows[0]; })) continue;
    add_symptom(snapshot, {SymptomClass::noted, "equal-rows-differ"}, block.row, trimmed(lines_of(text)[block.row]));
    return snapshot;
  }
  return snapshot;
}

}  // namespace envdoctor
