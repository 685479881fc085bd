#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::visibility_mig_single_instance_test {

namespace {

const std::string id = "visibility.mig-single-instance";

Snapshot split(const Text& variable) {
  Snapshot snapshot = healthy_nvidia_host();
  NvidiaDevice device = nvml_a100();
  device.mig = true;
  device.mig_devices =
      std::vector<MigDevice>{{.index = 0, .uuid = "MIG-aaaaaaaa"}, {.index = 1, .uuid = "MIG-bbbbbbbb"}};
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{device};
  if (variable.get()) snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = variable;
  return snapshot;
}

TEST(VisibilityMigSingleInstance, IsSoundWhereOneInstanceIsNamed) {
  EXPECT_EQ(state_of("visibility.mig-single-instance", split("MIG-bbbbbbbb")), "passed");
}

TEST(VisibilityMigSingleInstance, FindsSeveralNamedOrGiven) {
  for (const Text& variable : {Text("MIG-bbbbbbbb,MIG-aaaaaaaa"), Text()}) {
    const Answers answers = answers_of("visibility.mig-single-instance", split(variable));
    ASSERT_NE(finding_of(answers, id), nullptr);
    EXPECT_EQ(finding_of(answers, id)->severity, Severity::info);
  }
}

TEST(VisibilityMigSingleInstance, DoesNotApplyWithoutMig) {
  EXPECT_EQ(state_of("visibility.mig-single-instance", healthy_nvidia_host()), "not-applicable");
  EXPECT_EQ(state_of("visibility.mig-single-instance", plain_host()), "not-applicable");
}

TEST(VisibilityMigSingleInstance, IsUnknownWhereTheDevicesAreNotKnown) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.nvidia = failed("NVML crashed");
  EXPECT_EQ(state_of("visibility.mig-single-instance", snapshot), "unknown");
}

}  // namespace
}  // namespace envdoctor::visibility_mig_single_instance_test
