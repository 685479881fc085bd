#pragma once
// Two arrays of one shape, read in parallel as often as needed, and the statistics of the first pass for the judgement.
#include <functional>

#include "compare/array_file.h"
#include "compare/arrays.h"

namespace envdoctor::compare {

struct ArrayPair {
  std::function<ArrayReader()> open_a{}, open_b{};
  // Calls with equally many numbers of A and of B, and the index of the first in the file, piece by piece. The first
  // time the files' checksums are verified as well.
  void read(const std::function<void(const Numbers&, const Numbers&, std::int64_t)>& take, bool check = false) const;
};

// Mean squares of A along lines and across them: the scale of the numbers there. Neighbouring lines share a mean if
// there are too many.
struct LineSums {
  static constexpr std::int64_t most = 1 << 18;
  std::int64_t width = 1;  // numbers in a line
  std::int64_t lines_together = 1;
  std::vector<long double> lines{};    // empty: not used
  std::vector<long double> columns{};  // relative to their lines, so that no line outweighs the others; empty: not used
  double carriers = 1;  // how many numbers determine the mean square of all: few if some are far larger than others
};

// Fills judgement, explanation and `beyond`. The limits: see docs/commands/compare.md.
void judge_arithmetic(ArrayDifference& difference, const Operation& operation, const ArrayPair& pair, LineSums& sums);

// Sets the layout of `columns` and `lines` of the sums for this operation.
LineSums sums_for(const Operation& operation, const Layout& layout, bool complex);

// rtol and atol for a network's outputs of this type.
std::pair<double, double> tolerance_of(const Type& type);

}  // namespace envdoctor::compare
