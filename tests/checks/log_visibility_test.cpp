#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/log_lines.h"

namespace envdoctor {
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

TEST(LogVisibility, TakesTheFrameworksOwnWordThatAllIsHidden) {
  const Line said = {"visible-devices-empty", {{"name", "CUDA_VISIBLE_DEVICES"}}, "tensorflow"};
  EXPECT_EQ(ids(log_of({said})), (Found{{"visibility.empty", certain}}));
  EXPECT_TRUE(ids(log_of({said, {"device-used-tensorflow"}})).empty());
}

TEST(LogVisibility, BelievesAnAssignmentOnlyWhereNoDeviceAnswered) {
  EXPECT_EQ(ids(log_of({{"visible-devices-set", hides_all}, {"no-visible-devices"}}))["visibility.empty"], likely);
  EXPECT_EQ(ids(log_of({{"visible-devices-set", hides_all}})), (Found{{"visibility.empty", possible}}));
  EXPECT_TRUE(ids(log_of({{"visible-devices-set", value("0")}})).empty());
}

TEST(LogVisibility, KnowsThatPythonOnWindowsDeletesAnEmptyVariable) {
  Snapshot snapshot = log_of({{"visible-devices-in-program", {{"name", "CUDA_VISIBLE_DEVICES"}}}});
  EXPECT_EQ(ids(snapshot), (Found{{"visibility.empty", possible}}));
  snapshot.host.fill().platform = "windows";
  EXPECT_TRUE(ids(snapshot).empty());
}

TEST(LogVisibility, SeesThatAVariableWhichHidesAllHadNoEffect) {
  EXPECT_EQ(ids(log_of({{"visible-devices-in-program", hides_all}, {"device-used-torch"}})),
            (Found{{"visibility.set-too-late", likely}}));
  EXPECT_EQ(ids(log_of({{"framework-imported", {{"module", "torch"}}}, {"visible-devices-in-program", value("1")}})),
            (Found{{"visibility.set-too-late", possible}}));
  EXPECT_TRUE(
      ids(log_of({{"visible-devices-in-program", value("1")}, {"framework-imported", {{"module", "torch"}}}})).empty());
}

TEST(LogVisibility, ComparesNumbersWithTheGpusThatAreKnown) {
  EXPECT_EQ(ids(with_gpus(log_of({{"visible-devices-set", value("4")}}), 2)),
            (Found{{"visibility.invalid-ordinal", likely}}));
  EXPECT_TRUE(ids(with_gpus(log_of({{"visible-devices-set", value("1")}}), 2)).empty());
  EXPECT_TRUE(ids(log_of({{"visible-devices-set", value("4")}})).empty());
}

TEST(LogVisibility, TellsTheSecondFilterFromANumberThatNoDeviceHas) {
  const std::vector<Line> asked = {{"visible-devices-set", value("1")}, {"cuda-invalid-device"}};
  EXPECT_EQ(ids(with_gpus(log_of(asked), 2))["visibility.double-filter"], likely);
  EXPECT_EQ(ids(log_of({{"cuda-invalid-device"}})), (Found{{"visibility.invalid-ordinal", likely}}));
  EXPECT_FALSE(ids(with_gpus(log_of(asked), 1)).contains("visibility.double-filter"));
}

TEST(LogVisibility, KnowsThatAProcessUsesOneMigInstance) {
  Snapshot snapshot = with_gpus(log_of({{"no-supported-devices"}}), 1);
  EXPECT_FALSE(ids(snapshot).contains("visibility.mig-single-instance"));
  snapshot.nvidia.get()->devices.get()->front().mig = true;
  EXPECT_EQ(ids(snapshot)["visibility.mig-single-instance"], likely);
}

TEST(LogVisibility, ReadsCallsThatLeaveNoGpu) {
  EXPECT_EQ(ids(log_of({{"framework-hides-gpus"}})), (Found{{"visibility.framework-hidden", likely}}));
  EXPECT_TRUE(ids(log_of({{"framework-hides-gpus"}, {"device-used-tensorflow"}})).empty());
}

TEST(LogContainer, TellsAnUnknownUuidFromAnUnknownNumber) {
  EXPECT_EQ(ids(log_of({{"container-device-unknown", {{"device", "GPU-3f2504e0"}}}})),
            (Found{{"visibility.invalid-uuid", likely}}));
  EXPECT_EQ(ids(log_of({{"container-device-unknown", {{"device", "3"}}}})),
            (Found{{"visibility.invalid-ordinal", likely}}));
}

TEST(LogContainer, IsKnownByTheHostNameThatDockerGives) {
  EXPECT_EQ(ids(log_of({{"no-nvidia-driver"}, {"container-mark"}}))["visibility.container-hidden"], likely);
  EXPECT_EQ(ids(log_of({{"no-nvidia-driver"}})), (Found{{"driver.unreachable", possible}}));
}

}  // namespace
}  // namespace envdoctor
