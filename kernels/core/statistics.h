#pragma once
// Statistics of a few times, without assumptions about their distribution.
#include <cstddef>
#include <vector>

namespace envdoctor::kernels {

struct Statistics {
  double median = 0;
  double low = 0,
         high = 0;  // the median lies between them with a confidence of at least 95 %; with few samples, all of them
  double p10 = 0, p90 = 0;
  double best = 0;
  double spread = 0;  // (p75 - p25) / median
  std::size_t samples = 0;
};

// Of at least one sample; they may come in any order. Quantiles are interpolated between neighbours (Hyndman and Fan
// 1996, type 7).
Statistics statistics(std::vector<double> samples);

// The samples of ranks r and n + 1 - r hold the median between them with probability 1 - 2 P(B <= r - 1), B binomial of
// n halves. The largest r with which that is at least 95 %: 2 of 11, 4 of 15, 6 of 21; 1 where none is.
std::size_t interval_rank(std::size_t count);

}  // namespace envdoctor::kernels
