// Medians and their intervals, with numbers computed by hand.
#include <gtest/gtest.h>

#include "kernels/core/statistics.h"

namespace envdoctor::kernels::statistics_test {
namespace {

TEST(Statistics, RanksOfTheIntervalAreThoseOfTheBinomialTable) {
  EXPECT_EQ(interval_rank(1), 1U);
  EXPECT_EQ(interval_rank(5), 1U);    // 1 - 2/32 = 93.75 %: even all of them are too few
  EXPECT_EQ(interval_rank(6), 1U);    // 1 - 2/64 = 96.9 %
  EXPECT_EQ(interval_rank(8), 1U);    // rank 2: 1 - 18/256 = 93.0 %
  EXPECT_EQ(interval_rank(9), 2U);    // 1 - 20/512 = 96.1 %
  EXPECT_EQ(interval_rank(11), 2U);   // 98.8 %; rank 3: 1 - 134/2048 = 93.5 %
  EXPECT_EQ(interval_rank(15), 4U);   // 1 - 2 * 576/32768 = 96.5 %
  EXPECT_EQ(interval_rank(21), 6U);   // 97.3 %
  EXPECT_EQ(interval_rank(45), 16U);  // 96.4 %
}

TEST(Statistics, OfFifteenKnownTimes) {
  const Statistics s = statistics({15, 1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8});
  EXPECT_EQ(s.median, 8);
  EXPECT_EQ(s.low, 4);
  EXPECT_EQ(s.high, 12);
  EXPECT_DOUBLE_EQ(s.p10, 2.4);  // 1 + 0.1 * 14
  EXPECT_DOUBLE_EQ(s.p90, 13.6);
  EXPECT_EQ(s.best, 1);
  EXPECT_DOUBLE_EQ(s.spread, 7.0 / 8);  // (11.5 - 4.5) / 8
  EXPECT_EQ(s.samples, 15U);
}

TEST(Statistics, AnEvenCountHasItsMedianBetweenTwo) {
  EXPECT_DOUBLE_EQ(statistics({4, 1, 3, 2}).median, 2.5);
  const Statistics one = statistics({7});
  EXPECT_EQ(one.median, 7);
  EXPECT_EQ(one.low, 7);
  EXPECT_EQ(one.high, 7);
  EXPECT_EQ(one.spread, 0);
}

TEST(Statistics, OneSlowRunDoesNotMoveTheMedian) { EXPECT_EQ(statistics({2, 2, 2, 2, 2, 2, 2, 2, 1000}).median, 2); }

}  // namespace
}  // namespace envdoctor::kernels::statistics_test
