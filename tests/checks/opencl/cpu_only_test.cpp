#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor::opencl_cpu_only_test {

namespace {

const std::string id = "opencl.cpu-only";

TEST(OpenclCpuOnly, IsSoundWhereAGpuIsListed) {
  EXPECT_EQ(state_of("opencl.cpu-only", with_pocl(with_nvidia_opencl(cuda_unheard()))), "passed");
}

TEST(OpenclCpuOnly, IsAnErrorWhereAGpuIsHereAndNothingElseReachesIt) {
  const Answers answers = answers_of("opencl.cpu-only", with_pocl(intel_host()));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::error);
  EXPECT_EQ(paths_of(*finding_of(answers, id)), std::vector<std::string>{"/opencl/platforms/0/devices/0/type"});
}

TEST(OpenclCpuOnly, OnlyInformsWithoutAGpuAndBesideWorkingCuda) {
  EXPECT_EQ(finding_of(answers_of("opencl.cpu-only", with_pocl(plain_host())), id)->severity, Severity::info);
  EXPECT_EQ(finding_of(answers_of("opencl.cpu-only", with_pocl(healthy_nvidia_host())), id)->severity, Severity::info);
}

TEST(OpenclCpuOnly, IsLikelyWhereTheGpuIsNotKnown) {
  Snapshot snapshot;
  snapshot.opencl.fill().platforms =
      std::vector<OpenclPlatform>{opencl_platform("Intel(R) OpenCL", {opencl_device("Core i5", "CPU")})};
  EXPECT_EQ(finding_of(answers_of("opencl.cpu-only", snapshot), id)->confidence, Confidence::likely);
}

TEST(OpenclCpuOnly, OnlyWarnsWhereNobodyLookedForAGpu) {
  Snapshot snapshot;
  snapshot.captured.fill().by = "envdoctor";
  snapshot.opencl.fill().platforms =
      std::vector<OpenclPlatform>{opencl_platform("PoCL", {opencl_device("Xeon", "cpu")})};
  EXPECT_EQ(finding_of(answers_of("opencl.cpu-only", snapshot), id)->severity, Severity::warning);
}

TEST(OpenclCpuOnly, DoesNotApplyWithoutADevice) {
  EXPECT_EQ(state_of("opencl.cpu-only", with_loader(intel_host())), "not-applicable");
}

TEST(OpenclCpuOnly, IsUnknownWhereDevicesAreNotKnown) {
  EXPECT_EQ(state_of("opencl.cpu-only", intel_host()), "unknown");
  Snapshot snapshot = with_pocl(intel_host());
  OpenclPlatform crashed;
  crashed.name = "Intel(R) OpenCL Graphics";
  crashed.devices = failed("crash");
  snapshot.opencl.get()->platforms.get()->push_back(crashed);
  EXPECT_EQ(state_of("opencl.cpu-only", snapshot), "unknown");
}

}  // namespace
}  // namespace envdoctor::opencl_cpu_only_test
