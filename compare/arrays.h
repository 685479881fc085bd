#pragma once
// Two arrays that should be one: how far apart they are, and which arithmetic could have made that difference.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace envdoctor::compare {

// Upper ends of the histogram's classes in ulp: 0, 1, 2, 4, … 4096; one class more for what lies above.
inline constexpr std::size_t histogram_classes = 15;

struct ArrayDifference {
  std::string name{};            // in the archives; empty: the files' only array
  std::string type_a{}, type_b{};
  std::string error{};         // shapes differ, missing in one: nothing was compared then
  std::int64_t count = 0;
  std::int64_t differing = 0;    // not the same number
  std::array<std::int64_t, histogram_classes> ulp_histogram{};  // empty of integers' differences
  double max_ulp = 0;            // in the coarser of the two types
  double max_absolute = 0;
  double rms_difference = 0, rms_reference = 0;  // of A: the reference
  std::int64_t worst_at = -1;    // flat index of the largest difference
  double worst_a = 0, worst_b = 0;
  std::int64_t not_a_number = 0; // in one of the two only
  std::int64_t infinite = 0;     // in one of the two only
  std::int64_t flushed = 0;      // zero in one, subnormal in the other
  bool one_sign = false;         // A holds numbers of one sign only
  bool floating = true;
  int digits = 24;               // of the coarser type's significand, the leading one counted
  // Only with an operation: the least arithmetic that could have made the difference.
  std::string judgement{};       // same-bits, float32-rounding, tf32-or-half-inputs, half-precision, none; empty: not judged
  std::string explanation{};     // the same in a sentence, with the limits it was compared with
  [[nodiscard]] bool judged_as_rounding() const;  // in the coarser of the two types itself
};

// What was computed, as far as its error depends on it.
struct Operation {
  std::string name{};       // a row of known_operations(); empty: not given
  std::int64_t depth = 0;   // products or terms summed into one element; 0: not given
};
const std::vector<std::string>& known_operations();

// A and B, paired by name where they are archives. In constant memory. Throws BadArray.
std::vector<ArrayDifference> compare_arrays(const std::string& a, const std::string& b, const Operation& operation);

// Fills judgement and told. Lines: see docs/commands/compare.md.
void judge_arithmetic(ArrayDifference& difference, const Operation& operation);

std::string text_of(const std::vector<ArrayDifference>& differences, const std::string& a, const std::string& b);
std::string json_of(const std::vector<ArrayDifference>& differences, const std::string& a, const std::string& b);

}  // namespace envdoctor::compare
