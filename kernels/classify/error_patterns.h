#pragma once
// The pattern of a set of wrong elements, which is the first clue to the cause.
#include <string>

#include "kernels/core/compare_results.h"

namespace envdoctor::kernels {

enum class Shape {
  none,             // nothing is wrong
  not_written,      // our poison stayed
  all,              // almost all
  zeros,            // wrong, and zero
  one_bit,          // few isolated words, each with one flipped bit
  stuck_bit,        // the same bit in all words is never, or always, set
  byte_order,       // right, with the bytes of each word reversed
  isolated,         // few words, far apart
  other_index,      // right for another index
  tile,             // one block of rows and columns
  tail,             // the last elements, or the last rows
  columns,          // whole columns, or the ends of all rows
  from_some_index,  // everything after a place
  every_nth,        // a lane or a residue of the index
  scattered
};

struct Pattern {
  Shape shape = Shape::none;
  std::string text{};  // "a 64 x 16 tile at row 128, column 32"
};

// `wrong` ascending and not empty for a pattern other than none.
Pattern pattern_of(const Array& got, const Expected& expected, const std::vector<std::size_t>& wrong,
                   std::int64_t columns);

}  // namespace envdoctor::kernels
