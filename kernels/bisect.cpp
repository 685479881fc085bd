// A size limit: right up to it, wrong above, every time.
#include <algorithm>

#include "kernels/naming.h"

namespace envdoctor::kernels {

std::optional<std::int64_t> largest_right(std::int64_t right, std::int64_t wrong,
                                          const std::function<std::optional<bool>(std::int64_t)>& right_at,
                                          int most_runs) {
  int runs = 0;
  const auto is = [&](std::int64_t size, bool expected) {
    const std::optional<bool> answer = ++runs <= most_runs ? right_at(size) : std::nullopt;
    return answer && *answer == expected;
  };
  if (right < 1 || wrong <= right || !is(right, true) || !is(wrong, false)) return {};
  const std::int64_t start = right, end = wrong;
  while (wrong - right > 1) {
    const std::int64_t middle = right + (wrong - right) / 2;
    const std::optional<bool> answer = ++runs <= most_runs ? right_at(middle) : std::nullopt;
    if (!answer) return {};
    (*answer ? right : wrong) = middle;
  }
  // An edge that the size doesn't divide by looks the same at first: then sizes just beside it disagree.
  for (const std::int64_t near : {right - 1, right - 2, right - 7}) {
    if (near > start && !is(near, true)) return {};
  }
  for (const std::int64_t near : {wrong + 1, wrong + 2, wrong + 7, wrong + (end - wrong) / 2}) {
    if (near < end && !is(near, false)) return {};
  }
  return right;
}

}  // namespace envdoctor::kernels
