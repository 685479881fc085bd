#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/log_lines.h"

namespace envdoctor::settings_test {

using enum SymptomClass;
namespace {

const std::map<std::string, std::string> hides_all = {{"name", "CUDA_VISIBLE_DEVICES"}, {"value", "-1"}};

Snapshot with_gpus(Snapshot snapshot, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    snapshot.nvidia.fill().devices.fill().push_back(nvml_a100(static_cast<std::int64_t>(i)));
  }
  return snapshot;
}

std::map<std::string, std::string> value(const char* text) {
  return {{"name", "CUDA_VISIBLE_DEVICES"}, {"value", text}};
}

TEST(ShownSettings, TakesTheFrameworksOwnWordThatAllIsHidden) {
  const Line said = {{hidden, "gpu-by-visible-devices"}, {{"name", "CUDA_VISIBLE_DEVICES"}}, "tensorflow"};
  EXPECT_EQ(ids(log_of({said})), (Found{{"visibility.empty", certain}}));
  EXPECT_TRUE(ids(log_of({said, {{used, "gpu"}}})).empty());
}

TEST(ShownSettings, AreOneFindingWithTheEnvironmentThatSaysTheSame) {
  Snapshot snapshot = log_of({{{noted, "visible-devices"}, hides_all}});
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = std::string("-1");
  const Answers answers = answers_of("visibility.empty", snapshot);
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings[0].subject, "env:CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(paths_of(answers.findings[0]), (std::vector<std::string>{"/env/CUDA_VISIBLE_DEVICES", "log"}));
}

TEST(ShownSettings, BelievesAnAssignmentOnlyWhereNoDeviceAnswered) {
  EXPECT_EQ(ids(log_of({{{noted, "visible-devices"}, hides_all}, {{missing, "visible-gpu"}}}))["visibility.empty"],
            likely);
  EXPECT_EQ(ids(log_of({{{noted, "visible-devices"}, hides_all}})), (Found{{"visibility.empty", possible}}));
  EXPECT_TRUE(ids(log_of({{{noted, "visible-devices"}, value("0")}})).empty());
}

TEST(ShownSettings, KnowsThatPythonOnWindowsDeletesAnEmptyVariable) {
  Snapshot snapshot = log_of({{{noted, "visible-devices-in-program"}, {{"name", "CUDA_VISIBLE_DEVICES"}}}});
  EXPECT_EQ(ids(snapshot), (Found{{"visibility.empty", possible}}));
  snapshot.host.fill().platform = "windows";
  EXPECT_TRUE(ids(snapshot).empty());
}

TEST(ShownSettings, SeesThatAVariableWhichHidesAllHadNoEffect) {
  EXPECT_EQ(ids(log_of({{{noted, "visible-devices-in-program"}, hides_all}, {{used, "gpu"}}})),
            (Found{{"visibility.set-too-late", likely}}));
  EXPECT_EQ(ids(log_of({{{noted, "framework-import"}, {{"module", "torch"}}},
                        {{noted, "visible-devices-in-program"}, value("1")}})),
            (Found{{"visibility.set-too-late", possible}}));
  EXPECT_TRUE(ids(log_of({{{noted, "visible-devices-in-program"}, value("1")},
                          {{noted, "framework-import"}, {{"module", "torch"}}}}))
                  .empty());
}

TEST(ShownSettings, ComparesNumbersWithTheGpusThatAreKnown) {
  EXPECT_EQ(ids(with_gpus(log_of({{{noted, "visible-devices"}, value("4")}}), 2)),
            (Found{{"visibility.invalid-ordinal", likely}}));
  EXPECT_TRUE(ids(with_gpus(log_of({{{noted, "visible-devices"}, value("1")}}), 2)).empty());
  EXPECT_TRUE(ids(log_of({{{noted, "visible-devices"}, value("4")}})).empty());
}

TEST(ShownSettings, TellsTheSecondFilterFromANumberThatNoDeviceHas) {
  const std::vector<Line> asked = {{{noted, "visible-devices"}, value("1")}, {{missing, "cuda-device-index"}}};
  EXPECT_EQ(ids(with_gpus(log_of(asked), 2))["visibility.double-filter"], likely);
  EXPECT_EQ(ids(log_of({{{missing, "cuda-device-index"}}})), (Found{{"visibility.invalid-ordinal", likely}}));
  EXPECT_FALSE(ids(with_gpus(log_of(asked), 1)).contains("visibility.double-filter"));
}

TEST(ShownSettings, KnowsThatAProcessUsesOneMigInstance) {
  Snapshot snapshot = with_gpus(log_of({{{missing, "supported-device"}}}), 1);
  EXPECT_FALSE(ids(snapshot).contains("visibility.mig-single-instance"));
  snapshot.nvidia.get()->devices.get()->front().mig = true;
  EXPECT_EQ(ids(snapshot)["visibility.mig-single-instance"], likely);
}

TEST(ShownSettings, ReadsCallsThatLeaveNoGpu) {
  EXPECT_EQ(ids(log_of({{{hidden, "gpu-by-program"}}})), (Found{{"visibility.framework-hidden", likely}}));
  EXPECT_TRUE(ids(log_of({{{hidden, "gpu-by-program"}}, {{used, "gpu"}}})).empty());
}

TEST(ContainerInALog, TellsAnUnknownUuidFromAnUnknownNumber) {
  EXPECT_EQ(ids(log_of({{{missing, "container-device"}, {{"device", "GPU-3f2504e0"}}}})),
            (Found{{"visibility.invalid-uuid", likely}}));
  EXPECT_EQ(ids(log_of({{{missing, "container-device"}, {{"device", "3"}}}})),
            (Found{{"visibility.invalid-ordinal", likely}}));
}

TEST(ContainerInALog, IsKnownByTheHostNameThatDockerGives) {
  EXPECT_EQ(ids(log_of({{{missing, "driver"}}, {{present, "container"}}}))["visibility.container-hidden"], likely);
  EXPECT_EQ(ids(log_of({{{missing, "driver"}}})), (Found{{"driver.unreachable", possible}}));
}

}  // namespace
}  // namespace envdoctor::settings_test
