#pragma once
// Arrays as programs print them, and what one is to another that should hold the same numbers.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

struct NumberArray {
  std::string shape{};  // its brackets and commas
  bool whole = true;    // false: the text ends within it
  std::vector<double> numbers{};
};

// The numbers, brackets and commas from `at`, which is moved behind them; none if there are no numbers, or too many.
std::optional<NumberArray> number_array_at(std::string_view text, std::size_t& at);

bool same_shape(const NumberArray& a, const NumberArray& b);

// "rounding": most numbers differ, and all by rounding only. "infinite": some are finite in the reference alone.
// "value": some are far off, and half of the numbers agree. "whole": they are the reference's without their fractions.
// Null: none of these, or two things may have been printed.
const char* difference(const NumberArray& device, const NumberArray& reference);

// The largest difference as a part of the reference's largest number; infinite if a number is finite there alone.
double relative_difference(const NumberArray& device, const NumberArray& reference);

// The device has a NaN where the reference has a number.
bool lost_to_nan(const NumberArray& device, const NumberArray& reference);

// What a text without a GPU compares is no result of one.
bool speaks_of_a_gpu(const std::string& text);

}  // namespace envdoctor
