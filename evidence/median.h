#pragma once
#include <algorithm>
#include <vector>

namespace envdoctor {

// The middle number, or the mean of the middle two. Needs at least one; none may be NaN.
inline double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

}  // namespace envdoctor
