#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_init_failed_test {

namespace {

constexpr const char* id = "driver.init-failed";

std::string state(const Snapshot& snapshot) { return state_of("driver.init-failed", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.init-failed", snapshot); }

Snapshot with_error(std::string error) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().cuinit_error = std::move(error);
  host.nvidia.fill().cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverInitFailed, IsFoundForAnUnknownErrorWithEverythingElseInOrder) {
  const Answers answers = answers_for(with_error("CUDA_ERROR_UNKNOWN"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->evidence.front().path, "/nvidia/cuinit_error");
}

TEST(DriverInitFailed, IsOnlyLikelyWhereTheNodesAreNotKnown) {
  Snapshot report;
  report.nvidia.fill().cuinit_error = "CUDA_ERROR_UNKNOWN";
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverInitFailed, LeavesErrorsThatNameTheirCauseToOthers) {
  for (const char* error : {"CUDA_ERROR_NO_DEVICE", "CUDA_ERROR_SYSTEM_NOT_READY", "CUDA_ERROR_STUB_LIBRARY"}) {
    EXPECT_EQ(state(with_error(error)), "not-applicable") << error;
  }
}

TEST(DriverInitFailed, YieldsToAMissingNodeAndToAForbiddenOne) {
  Snapshot host = with_error("CUDA_ERROR_UNKNOWN");
  host.device_nodes = std::vector<DeviceNode>{node_at("/dev/nvidia0"), node_at("/dev/nvidiactl")};
  EXPECT_EQ(state(host), "not-applicable");
  host = with_error("CUDA_ERROR_UNKNOWN");
  host.device_nodes.fill().front() = closed_node(node_at("/dev/nvidia-uvm"), "EACCES");
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverInitFailed, IsSoundWhereCudaStarts) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(DriverInitFailed, IsUnknownWhereCuInitGaveNoAnswer) {
  Snapshot host = with_error("");
  host.nvidia.fill().cuinit_error = failed("the child was killed after 10 s");
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverInitFailed, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

}  // namespace
}  // namespace envdoctor::driver_init_failed_test
