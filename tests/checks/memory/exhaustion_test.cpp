#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/log_lines.h"

namespace envdoctor::exhaustion_test {

using enum SymptomClass;
namespace {

TEST(Exhaustion, OfTheMachineIsToldOnlyWhereNoGpuAllocationFailed) {
  const Line killed = {{exhausted, "host-memory"}};
  EXPECT_EQ(findings(log_of({killed})).at(0).title, "The job needs more memory than the machine gives it");
  EXPECT_EQ(findings(log_of({killed, {{exhausted, "cuda-memory"}}})).at(0).title,
            find_diagnosis("memory.out-of-memory")->title);
}

TEST(Exhaustion, DoesTheSum) {
  const auto oom = [](const char* wanted, const char* total, const char* free, const char* own, const char* idle) {
    return ids(log_of({{{exhausted, "gpu-memory"}, {{"wanted", wanted}, {"total", total}, {"free", free}}, "torch"},
                       {{noted, "gpu-memory-in-use"}, {{"process", own}, {"unallocated", idle}}}}));
  };
  EXPECT_EQ(oom("2.00 GiB", "24.00 GiB", "0.30 GiB", "23.00 GiB", "0.10 GiB"),
            (Found{{"memory.out-of-memory", likely}}));
  EXPECT_EQ(oom("2.00 GiB", "24.00 GiB", "0.30 GiB", "3.00 GiB", "0.10 GiB"), (Found{{"memory.occupied", likely}}));
  EXPECT_EQ(oom("20.00 MiB", "24.00 GiB", "0.01 GiB", "3.00 GiB", "0.20 GiB"), (Found{{"memory.occupied", likely}}));
  EXPECT_EQ(oom("2.00 GiB", "24.00 GiB", "0.30 GiB", "23.00 GiB", "9.00 GiB"), (Found{{"memory.fragmented", likely}}));
}

TEST(Exhaustion, TakesAFailedHandleForPreallocationOnlyWhereVersionsFit) {
  EXPECT_EQ(ids(log_of({{{failed, "cudnn-handle"}}})), (Found{{"memory.preallocated", possible}}));
  EXPECT_EQ(ids(log_of({{{failed, "cudnn-handle"}}, {{mismatch, "cudnn-version"}}})),
            (Found{{"runtime.cudnn-mismatch", certain}}));
}

TEST(Exhaustion, TakesWhatTorchHoldsWhereTheProcessIsNotTold) {
  const auto with = [](const char* free, const char* allocated, const char* unallocated) {
    return ids(
        log_of({{{exhausted, "gpu-memory"}, {{"wanted", "0.10 GiB"}, {"total", "16.00 GiB"}, {"free", free}}, "torch"},
                {{noted, "gpu-memory-in-use"}, {{"allocated", allocated}, {"unallocated", unallocated}}}}));
  };
  EXPECT_EQ(with("0.50 GiB", "9.00 GiB", "5.50 GiB"), (Found{{"memory.fragmented", likely}}));
  EXPECT_EQ(with("0.50 GiB", "2.00 GiB", "0.10 GiB"), (Found{{"memory.occupied", likely}}));
  EXPECT_EQ(with("0.50 GiB", "14.50 GiB", "0.10 GiB"), (Found{{"memory.out-of-memory", likely}}));
  EXPECT_EQ(with("0.50 GiB", "14.50 GiB", "0.15 GiB"), (Found{{"memory.out-of-memory", likely}})) << "idle, and little";
}

}  // namespace
}  // namespace envdoctor::exhaustion_test
