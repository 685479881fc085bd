#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_compute_mode_test {

namespace {

constexpr const char* id = "driver.compute-mode";

std::string state(const Snapshot& snapshot) { return state_of("driver.compute-mode", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.compute-mode", snapshot); }

Snapshot with_mode(std::string mode) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().devices.fill().front().compute_mode = std::move(mode);
  return host;
}

TEST(DriverComputeMode, IsFoundWhereNobodyMayCompute) {
  const Answers answers = answers_for(with_mode("prohibited"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(finding->fix.front().command, "sudo nvidia-smi -i 0 -c DEFAULT");
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/nvidia/devices/0/compute_mode"});
}

TEST(DriverComputeMode, OnlyWarnsWhereAnotherGpuIsOpen) {
  Snapshot host = with_mode("prohibited");
  host.nvidia.fill().devices.fill().push_back(nvml_a100(1, "0000:b3:00.0"));
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
}

TEST(DriverComputeMode, IsLikelyForAnExclusiveGpuThatRefuses) {
  Snapshot host = with_mode("exclusive_process");
  host.nvidia.fill().processes = std::vector<NvidiaProcess>{{.pid = 4242, .gpu = 0}};
  const Answers drawing = answers_for(host);
  ASSERT_NE(finding_of(drawing, id), nullptr);
  EXPECT_EQ(finding_of(drawing, id)->confidence, Confidence::possible);
  host.nvidia.fill().cuinit_error = "CUDA_ERROR_DEVICE_UNAVAILABLE";
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_EQ(paths_of(*finding_of(answers, id)),
            (std::vector<std::string>{"/nvidia/devices/0/compute_mode", "/nvidia/processes/0"}));
}

TEST(DriverComputeMode, IsSoundForAnExclusiveGpuThatNobodyHolds) {
  EXPECT_EQ(state(with_mode("exclusive_process")), "passed");
  EXPECT_EQ(state(healthy_nvidia_host()), "passed");
}

TEST(DriverComputeMode, IsSoundWhereSeveralProcessesShareTheGpuAsUsual) {
  Snapshot host = with_mode("default");
  host.nvidia.fill().processes = std::vector<NvidiaProcess>{{.pid = 4242, .gpu = 0}, {.pid = 4243, .gpu = 0}};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverComputeMode, IsUnknownWhereTheModeIsNotKnown) {
  Snapshot host = with_mode("");
  host.nvidia.fill().devices.fill().front().compute_mode = failed("NVML_ERROR_UNKNOWN");
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverComputeMode, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

}  // namespace
}  // namespace envdoctor::driver_compute_mode_test
