#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_unreachable_test {

namespace {

constexpr const char* id = "driver.unreachable";

std::string state(const Snapshot& snapshot) { return state_of("driver.unreachable", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.unreachable", snapshot); }

Snapshot complaint(std::string nvml_error) {
  Snapshot report;
  report.host.fill().platform = "linux";
  report.host.fill().container = "none";
  report.nvidia.fill().nvml_error = std::move(nvml_error);
  return report;
}

TEST(DriverUnreachable, IsPossibleWhereAMessageFitsSeveralCauses) {
  const Answers answers = answers_for(complaint("couldn't communicate with the NVIDIA driver"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::possible);
  EXPECT_NE(finding->explanation.find("driver.module-not-loaded"), std::string::npos);
  EXPECT_NE(finding->explanation.find("driver.not-installed"), std::string::npos);
  // As many commands as members, in the order of their likelihood.
  ASSERT_GE(finding->fix.size(), 3U);
  EXPECT_NE(finding->fix.front().text.find("driver.module-not-loaded"), std::string::npos);
  for (const Fix& one : finding->fix) EXPECT_FALSE(one.command.empty()) << one.text;
}

TEST(DriverUnreachable, PutsTheContainerFirstInsideOne) {
  Snapshot report = complaint("NVML Shared Library Not Found");
  report.host.fill().container = "docker";
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_NE(finding_of(answers, id)->explanation.find("By likelihood: the container was started without the GPU"),
            std::string::npos);
}

TEST(DriverUnreachable, LeavesOutWhatTheFactsExclude) {
  Snapshot report = complaint("No devices were found");
  report.nvidia.fill().kernel_driver_version = "550.54.14";
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->explanation.find("driver.not-installed"), std::string::npos);
}

TEST(DriverUnreachable, IsLeftToTheOthersWhereTheirFactsAreKnown) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().nvml_error = "NVML_ERROR_DRIVER_NOT_LOADED";
  host.nvidia.fill().devices = failed("nvmlInit");
  host.nvidia.fill().cuda_devices = failed("cuInit");
  host.nvidia.fill().cuinit_error = "CUDA_ERROR_NO_DEVICE";
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverUnreachable, IsSoundWhereNvmlListsAGpuOrCudaWorks) {
  EXPECT_EQ(state(healthy_nvidia_host()), "passed");
  Snapshot report;
  report.nvidia.fill().devices = std::vector<NvidiaDevice>{nvml_a100()};
  report.torch.fill().cuda_version = "12.1";
  report.torch.fill().cuda_available = false;
  EXPECT_EQ(state(report), "passed");
}

TEST(DriverUnreachable, IsUnknownWhereNothingWasSeenToFail) { EXPECT_EQ(state(Snapshot{}), "unknown"); }

TEST(DriverUnreachable, DoesNotApplyWithoutAnNvidiaGpuOrUnderWsl) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  Snapshot report = complaint("couldn't communicate with the NVIDIA driver");
  report.host.fill().platform = "wsl2";
  EXPECT_EQ(state(report), "not-applicable");
}

}  // namespace
}  // namespace envdoctor::driver_unreachable_test
