#pragma once
// Two arrays of one shape, read side by side as often as it takes; what the first reading gathers for the judgement.
#include <functional>

#include "compare/array_file.h"
#include "compare/arrays.h"

namespace envdoctor::compare {

struct ArrayPair {
  std::function<ArrayReader()> open_a{}, open_b{};
  // Calls with as many numbers of A as of B, and the index in the file of the first, piece by piece. The first time
  // the files' checksums are read as well.
  void read(const std::function<void(const Numbers&, const Numbers&, std::int64_t)>& take, bool check = false) const;
};

// Mean squares of A along lines and across them: the scale of the numbers there. Neighbouring lines share a mean where
// there are too many.
struct LineSums {
  static constexpr std::int64_t most = 1 << 18;
  std::int64_t width = 1;  // numbers in a line
  std::int64_t lines_together = 1;
  std::vector<long double> lines{};    // empty: not to be looked at
  std::vector<long double> columns{};  // in terms of their lines, so that no line outweighs the others; likewise
  double carriers = 1;  // how many numbers carry the mean square of all: few, where some are far larger than others
};

// Fills judgement, explanation and `beyond`. The limits: see docs/commands/compare.md.
void judge_arithmetic(ArrayDifference& difference, const Operation& operation, const ArrayPair& pair,
                      LineSums& sums);

// How `columns` and `lines` of the sums are to be laid out for this operation.
LineSums sums_for(const Operation& operation, const Layout& layout, bool complex);

// rtol and atol for a network's outputs of this type.
std::pair<double, double> tolerance_of(const Type& type);

}  // namespace envdoctor::compare
