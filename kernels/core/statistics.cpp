#include "kernels/core/statistics.h"

#include <algorithm>
#include <cmath>

namespace envdoctor::kernels {
namespace {

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

std::size_t interval_rank(std::size_t count) {
  constexpr double outside = 0.05;
  double term = std::pow(0.5, static_cast<double>(count));  // P(B = 0)
  double below = term;                                      // P(B <= rank - 1)
  std::size_t rank = 1;
  while (rank < (count + 1) / 2) {
    term *= static_cast<double>(count - rank + 1) / static_cast<double>(rank);
    if (2 * (below + term) > outside) break;
    below += term;
    ++rank;
  }
  return rank;
}

Statistics statistics(std::vector<double> samples) {
  std::ranges::sort(samples);
  const std::size_t rank = interval_rank(samples.size());
  Statistics out{.median = quantile(samples, 0.5),
                 .low = samples[rank - 1],
                 .high = samples[samples.size() - rank],
                 .p10 = quantile(samples, 0.1),
                 .p90 = quantile(samples, 0.9),
                 .best = samples.front(),
                 .samples = samples.size()};
  out.spread = out.median > 0 ? (quantile(samples, 0.75) - quantile(samples, 0.25)) / out.median : 0;
  return out;
}

}  // namespace envdoctor::kernels
