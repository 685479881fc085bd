#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/log_lines.h"
#include "tests/support/opencl_hosts.h"

namespace envdoctor::programs_own_words_test {

using enum SymptomClass;
namespace {

Snapshot two_cards(Snapshot snapshot) {
  NvidiaDevice small = nvml_a100(0), large = nvml_a100(1);
  small.name = "Tesla T4";
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{small, large};
  return snapshot;
}

TEST(ProgramsOwnWords, TakesTheStepsOwnTimesForTheInput) {
  const auto step = [](const char* whole, const char* data) {
    return ids(log_of({{{noted, "step-times"}, {{"step", whole}, {"data", data}}}}));
  };
  EXPECT_EQ(step("0.500", "0.400"), (Found{{"usage.input-bound", likely}}));
  EXPECT_TRUE(step("0.500", "0.020").empty());
  EXPECT_TRUE(step("0", "0").empty());
}

TEST(ProgramsOwnWords, ComparesTimesInTheirUnits) {
  const auto timed = [](const char* gpu, const char* gpu_unit, const char* cpu, const char* cpu_unit) {
    return ids(log_of({{{noted, "device-time"}, {{"on", "GPU"}, {"value", gpu}, {"unit", gpu_unit}}},
                       {{noted, "device-time"}, {{"on", "CPU"}, {"value", cpu}, {"unit", cpu_unit}}}}));
  };
  EXPECT_EQ(timed("5", "ms", "900", "us"), (Found{{"usage.cpu-faster", possible}}));
  EXPECT_TRUE(timed("5", "us", "900", "us").empty());
  EXPECT_EQ(ids(log_of({{{slow, "gpu"}, {{"gpu", "20"}, {"gpu_unit", "us"}, {"cpu", "1"}, {"cpu_unit", "us"}}}})),
            (Found{{"usage.cpu-faster", likely}}));
}

TEST(ProgramsOwnWords, ComparesNamesByNumberWithNvidiaSmi) {
  const Line first = {{noted, "program-device"}, {{"ordinal", "0"}, {"name", "A100-SXM4-40GB"}}};
  EXPECT_EQ(ids(two_cards(log_of({first}))), (Found{{"visibility.order-mismatch", likely}}));
  EXPECT_TRUE(ids(two_cards(log_of({{{noted, "program-device"}, {{"ordinal", "0"}, {"name", "Tesla T4"}}}}))).empty());
  EXPECT_TRUE(ids(log_of({first})).empty());
  Snapshot chosen = two_cards(log_of({first}));
  chosen.env.fill()["CUDA_VISIBLE_DEVICES"] = std::string("1");
  EXPECT_TRUE(ids(chosen).empty()) << "a variable renumbers";
}

TEST(ProgramsOwnWords, SeesThatTheIntegratedGpuWasChosen) {
  Snapshot snapshot = log_of({{{noted, "chosen-integrated-gpu"}, {{"name", "UHD Graphics"}}}});
  EXPECT_TRUE(ids(snapshot).empty()) << "it may be the only one";
  snapshot.opencl.fill().platforms = std::vector<OpenclPlatform>{
      opencl_platform("P", {opencl_device("Intel(R) UHD Graphics 630", "gpu"), opencl_device("Quadro T1000", "gpu")})};
  EXPECT_EQ(ids(snapshot), (Found{{"usage.wrong-gpu", likely}}));
}

TEST(ProgramsOwnWords, KnowsWhichSideHalfPrecisionFailedOn) {
  EXPECT_EQ(ids(log_of({{{unsupported, "half-precision-on-cpu"}, {{"kernel", "addmm_impl_cpu_"}}}})),
            (Found{{"usage.detected-unused", possible}}));
  EXPECT_EQ(ids(log_of({{{unsupported, "half-precision-on-cpu"}, {{"kernel", "cholesky_cuda"}}}})),
            (Found{{"usage.op-has-no-gpu-kernel", possible}}));
}

TEST(ProgramsOwnWords, BlamesTheCpuOnlyWhereAGpuWaits) {
  EXPECT_TRUE(ids(log_of({{{ignored, "gpu-for-work"}}})).empty());
  EXPECT_EQ(ids(two_cards(log_of({{{ignored, "gpu-for-work"}}}))), (Found{{"usage.detected-unused", possible}}));
  EXPECT_TRUE(ids(two_cards(log_of({{{ignored, "gpu-for-work"}}, {{used, "gpu"}}}))).empty());
}

TEST(ProgramsOwnWords, AreNoFindingWhereLightningHints) {
  EXPECT_TRUE(ids(log_of({{{slow, "data-loading"}, {{"program", "lightning"}}}})).empty());
}

}  // namespace
}  // namespace envdoctor::programs_own_words_test
