#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/log_lines.h"

namespace envdoctor::printed_difference_test {

using enum SymptomClass;
namespace {

Snapshot on_ampere(Snapshot snapshot, const char* torch) {
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{nvml_a100()};
  snapshot.torch.fill().version = torch;
  return snapshot;
}

Snapshot differ(const char* kind, const char* by) {
  return log_of({{{wrong_result, "numbers"}}, {{noted, "difference-of-numbers"}, {{"kind", kind}, {"value", by}}}});
}

TEST(PrintedDifference, TakesADifferenceOfTenBitsForTf32WhereTheBuildUsesIt) {
  EXPECT_EQ(ids(on_ampere(differ("relative", "0.0009"), "1.10.1")), (Found{{"compute.tf32", likely}}));
  EXPECT_EQ(ids(on_ampere(differ("relative", "0.0009"), "2.4.0")), (Found{{"compute.tf32", possible}}));
  EXPECT_EQ(ids(differ("relative", "0.0009")), (Found{{"compute.wrong-results", possible}}));
  EXPECT_TRUE(ids(on_ampere(differ("relative", "3e-7"), "1.10.1")).empty());
}

TEST(PrintedDifference, TakesALargeDifferenceForWrongAndATinyOneForFlushed) {
  EXPECT_EQ(ids(on_ampere(differ("relative", "0.5"), "1.10.1")), (Found{{"compute.wrong-results", possible}}));
  EXPECT_EQ(ids(differ("absolute", "1.2e-41")), (Found{{"compute.denormals", likely}}));
}

TEST(PrintedDifference, BlamesFastMathWhereItIsOn) {
  EXPECT_EQ(ids(log_of({{{present, "fast-math"}},
                        {{noted, "difference-of-numbers"}, {{"kind", "relative"}, {"value", "0.01"}}}})),
            (Found{{"compute.fast-math", likely}}));
  EXPECT_TRUE(ids(log_of({{{present, "fast-math"}}})).empty());
}

TEST(PrintedDifference, ComparesPrintedValuesOfBothSides) {
  const auto printed = [](const char* cpu, const char* gpu) {
    return on_ampere(log_of({{{noted, "tensor-value"}, {{"value", cpu}}},
                             {{noted, "tensor-value"}, {{"value", gpu}, {"device", "cuda:0"}}}}),
                     "1.9.0");
  };
  EXPECT_EQ(ids(printed("2.5000", "2.5012")), (Found{{"compute.tf32", likely}}));
  EXPECT_TRUE(ids(printed("2.5000", "2.5000")).empty());
  EXPECT_TRUE(ids(printed("2.5000", "7.1")).empty());
}

TEST(PrintedDifference, KnowsThatWholeNumbersAreNotRounded) {
  const auto results = [](const char* cpu, const char* gpu, const char* of = "result") {
    return ids(log_of({{{noted, "device-result"}, {{"on", "CPU"}, {"of", of}, {"value", cpu}}},
                       {{noted, "device-result"}, {{"on", "GPU"}, {"of", of}, {"value", gpu}}}}));
  };
  EXPECT_EQ(results("4711", "4712"), (Found{{"compute.wrong-results", likely}}));
  EXPECT_TRUE(results("4711", "4711").empty());
  EXPECT_TRUE(results("0.47111", "0.47112").empty());
  EXPECT_TRUE(results("4711", "4712", "loss").empty());
  EXPECT_EQ(results("3.52", "-8.1e+30", "loss"), (Found{{"compute.wrong-results", possible}}));
  EXPECT_EQ(results("3.52", "nan", "loss"), (Found{{"compute.wrong-results", possible}}));
  EXPECT_TRUE(results("nan", "nan", "loss").empty());
  EXPECT_TRUE(results("nan", "3.52", "loss").empty()) << "the CPU's own is no measure";
}

TEST(PrintedDifference, IsSilentWithoutAComparison) {
  EXPECT_TRUE(ids(log_of({{{present, "tf32"}}, {{noted, "tensor-value"}}})).empty());
}

TEST(PrintedDifference, JudgesLabelledValuesByTheirSizeAndTheCard) {
  const auto values = [](const char* relative, const char* by, std::map<std::string, std::string> more = {}) {
    more.insert({{"relative", relative}, {"by", by}});
    return log_of({{{noted, "values-differ"}, more}});
  };
  EXPECT_EQ(ids(on_ampere(values("0.0006", "rounding"), "1.10.1")), (Found{{"compute.tf32", likely}}));
  EXPECT_EQ(ids(on_ampere(values("0.0006", "rounding"), "2.4.0")), (Found{{"compute.tf32", possible}}));
  EXPECT_TRUE(ids(on_ampere(values("3e-6", "rounding"), "1.10.1")).empty());
  EXPECT_EQ(ids(values("0.0006", "rounding", {{"device", "cuda"}})), (Found{{"compute.tf32", possible}}));
  EXPECT_TRUE(ids(values("0.0006", "rounding", {{"device", "mps"}})).empty());
  EXPECT_EQ(ids(values("0.006", "rounding", {{"device", "mps"}})), (Found{{"compute.wrong-results", possible}}));
  EXPECT_EQ(ids(on_ampere(values("0.4", "value"), "1.10.1")), (Found{{"compute.wrong-results", possible}}));
  EXPECT_EQ(ids(values("inf", "infinite")), (Found{{"compute.unstable", possible}}));
  EXPECT_EQ(ids(values("inf", "nan")), (Found{{"compute.wrong-results", possible}}));
  EXPECT_TRUE(
      ids(on_ampere(values("0.006", "rounding", {{"products", "no"}}), "1.10.1")).contains("compute.wrong-results"));
}

TEST(PrintedDifference, LeavesTheRoundingOfHalfPrecisionAlone) {
  Snapshot half = log_of({{{noted, "half-precision"}},
                          {{noted, "values-differ"}, {{"relative", "0.002"}, {"by", "rounding"}}},
                          {{noted, "printed-difference"}, {{"kind", "abs"}, {"value", "0.01"}}}});
  EXPECT_TRUE(ids(on_ampere(half, "1.10.1")).empty());
}

TEST(PrintedDifference, TakesAnAbsoluteOneForLittle) {
  const auto absolute = [](const char* value, std::map<std::string, std::string> more = {}) {
    more.insert({{"kind", "abs"}, {"value", value}});
    return log_of({{{noted, "printed-difference"}, more}});
  };
  EXPECT_TRUE(ids(absolute("0.0001")).empty());
  EXPECT_EQ(ids(absolute("0.004")), (Found{{"compute.tf32", possible}}));
  EXPECT_TRUE(ids(absolute("0.004", {{"device", "the same"}})).empty());
  EXPECT_EQ(ids(absolute("40")), (Found{{"compute.wrong-results", possible}}));
}

TEST(PrintedDifference, IsSurerOfRunsThatDifferWhereASeedIsSet) {
  EXPECT_EQ(ids(log_of({{{noted, "runs-differ"}}})), (Found{{"compute.nondeterministic", possible}}));
  EXPECT_EQ(ids(log_of({{{noted, "runs-differ"}}, {{noted, "random-seed"}}})),
            (Found{{"compute.nondeterministic", likely}}));
}

}  // namespace
}  // namespace envdoctor::printed_difference_test
