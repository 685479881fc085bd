// Batches, alternation and clocks, with candidates that only simulate time.
#include <gtest/gtest.h>

#include "kernels/bench/time_run.h"

namespace envdoctor::kernels::time_run_test {
namespace {

// Takes `ms` a run, and notes what it was asked for.
Candidate taking(double ms, std::vector<std::pair<char, int>>& calls, char name) {
  return {.run = [ms, &calls, name](int times) {
    calls.emplace_back(name, times);
    return RunTime{.wall_ms = ms * times};
  }};
}

TEST(Timing, FillsABatchOfTwentyMillisecondsOnHostCores) {
  std::vector<std::pair<char, int>> calls;
  const Timing timing = time_together({taking(0.25, calls, 'a')}, {}).front();
  EXPECT_GE(timing.batch * 0.25, 20);
  EXPECT_LE(timing.batch * 0.25, 30);
  EXPECT_DOUBLE_EQ(timing.wall_ms.median, 0.25);
  EXPECT_EQ(timing.wall_ms.samples, 15U);  // calm at once
  for (std::size_t i = calls.size() - 15; i < calls.size(); ++i) EXPECT_EQ(calls[i].second, timing.batch);
}

TEST(Timing, FillsABatchOfAHundredEmptyRunsOnGpus) {
  std::vector<std::pair<char, int>> calls;
  Candidate gpu = taking(0.01, calls, 'g');
  gpu.on_host_cores = false;
  EXPECT_NEAR(time_together({gpu}, {}).front().batch * 0.01, 5.5, 1);
  gpu.empty_run_ms = 0.2;
  EXPECT_NEAR(time_together({gpu}, {}).front().batch * 0.01, 22, 3);
}

TEST(Timing, TakesTurns) {
  std::vector<std::pair<char, int>> calls;
  time_together({taking(30, calls, 'a'), taking(40, calls, 'b')}, {});
  std::string order;
  for (std::size_t i = calls.size() - 6; i < calls.size(); ++i) order += calls[i].first;
  EXPECT_EQ(order, "ababab");
}

TEST(Timing, GoesOnWhileItIsNoisyAndNoLongerThanItMay) {
  int call = 0;
  const Candidate noisy = {
      .run = [&](int times) { return RunTime{.wall_ms = (++call % 2 == 0 ? 30.0 : 60.0) * times}; }};
  EXPECT_EQ(time_together({noisy}, {}).front().wall_ms.samples, 45U);
  EXPECT_EQ(time_together({noisy}, {.most_samples = 21}).front().wall_ms.samples, 21U);
  EXPECT_EQ(time_together({noisy}, {.spend_ms = -1}).front().wall_ms.samples, 15U);
}

TEST(EventTime, IsShownOnlyWhereTheWallClockAgrees) {
  EXPECT_TRUE(event_is_credible(19, 20, 0));
  EXPECT_TRUE(event_is_credible(0.0002, 0.017, 0.020));  // an empty kernel: launching takes the rest
  EXPECT_FALSE(event_is_credible(1e-6, 20, 0.3));        // invented: 1 ns
  EXPECT_FALSE(event_is_credible(0, 20, 0));
  EXPECT_FALSE(event_is_credible(-1, 20, 0));
  EXPECT_FALSE(event_is_credible(25, 20, 0));  // longer than the wall clock
  EXPECT_FALSE(event_is_credible(5, 20, 1));   // 9 ms that nothing explains
}

TEST(EventTime, OfOneBadBatchSpoilsAll) {
  int call = 0;
  const auto device = [&](int bad) {
    call = 0;
    return Candidate{.run = [&call, bad](int times) {
      return RunTime{.wall_ms = 30.0 * times, .event_ms = ++call == bad ? 90.0 * times : 29.0 * times};
    }};
  };
  EXPECT_DOUBLE_EQ(*time_together({device(-1)}, {}).front().event_ms, 29);
  EXPECT_FALSE(time_together({device(10)}, {}).front().event_ms);
}

}  // namespace
}  // namespace envdoctor::kernels::time_run_test
