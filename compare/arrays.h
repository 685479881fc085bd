#pragma once
// Two arrays that should be equal: how much they differ, and which arithmetic could have caused it.
#include <array>
#include <optional>

#include "compare/array_places.h"
#include "compare/number_types.h"

namespace envdoctor::compare {

// Upper ends of the histogram's classes in ulp: 0, 1, 2, 4, … 4096; one more class for larger ones.
inline constexpr std::size_t histogram_classes = 15;

// How many of a network's inputs are given the same class: the largest number of each row.
struct TopOne {
  std::int64_t rows = 0, agree = 0;
};

struct ArrayDifference {
  std::string name{};   // in the archives; empty: the files' only, unnamed array
  std::string error{};  // shapes differ, missing in one: then nothing was compared
  Type type_a{}, type_b{};
  Type type{};  // the coarser of the two
  Layout layout{};
  std::int64_t count = 0;
  std::int64_t differing = 0;                      // numbers that are not equal
  std::int64_t sign_of_zero = 0, nan_payload = 0;  // equal numbers with different bits
  Places where{};                                  // places of numbers that are not equal
  std::array<std::int64_t, histogram_classes> ulp_histogram{};
  double max_ulp = 0;  // in the coarser of the two types
  double max_absolute = 0;
  double max_relative = 0;                       // relative to A's number, where that isn't zero
  double rms_difference = 0, rms_reference = 0;  // of A: the reference
  std::int64_t worst_at = -1;  // index of the largest difference; a NaN in only one of the two counts as larger
  std::int64_t worst_relative_at = -1;
  std::string worst_a{}, worst_b{};
  std::int64_t not_a_number = 0;  // in only one of the two
  std::int64_t infinite = 0;      // in only one of the two, or with opposite signs
  std::int64_t both_nan = 0;
  std::int64_t flushed = 0;                   // zero in one, subnormal in the other
  std::int64_t zero_in_a = 0, zero_in_b = 0;  // but neither zero nor subnormal in the other
  bool one_sign = false;                      // all numbers of A have one sign
  bool last_bits = true;                      // no number is off by more than one unit in its last place
  std::optional<TopOne> top_one{};            // for a network's two-dimensional outputs
  std::optional<double> rtol{}, atol{};       // the tolerances that were used
  Places beyond{};  // places of errors beyond the explanation of the rest, or beyond the tolerance
  std::string hint{};
  // The mildest arithmetic that could have caused the difference: same-bits, same-numbers, float32-rounding,
  // tf32-or-half-inputs, half-precision, flushed-subnormals, within-tolerance, outside-tolerance, none; empty: not
  // judged, because too little is known about the operation.
  std::string judgement{};
  std::string explanation{};  // the same in a sentence, with the limits that were used
  [[nodiscard]] bool floating() const { return type.kind == Kind::floating; }
  [[nodiscard]] bool alike() const;  // the same, or explained by rounding in their own type, or within the tolerance
  // "1 of 2 560 numbers differs, at [5, 1], by 0.01; all others have the same bits"
  [[nodiscard]] std::string summary() const;
};

// The operation that was computed, as far as the error depends on it.
struct Operation {
  std::string name{};                    // a row of known_operations(); empty: not given
  std::int64_t depth = 0;                // products or terms summed into one element; 0: not given
  std::optional<double> rtol{}, atol{};  // for a network; none: the defaults of the type
};
const std::vector<std::string>& known_operations();

// A and B, paired by name where they are archives. In constant memory. Throws BadArray.
std::vector<ArrayDifference> compare_arrays(const std::string& a, const std::string& b, const Operation& operation);

std::string text_of(const std::vector<ArrayDifference>& differences, const std::string& a, const std::string& b);
std::string json_of(const std::vector<ArrayDifference>& differences, const std::string& a, const std::string& b);

}  // namespace envdoctor::compare
