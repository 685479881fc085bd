#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_mig_unconfigured_test {

namespace {

constexpr const char* id = "hardware.mig-unconfigured";

std::string state(const Snapshot& snapshot) { return state_of("hardware.mig-unconfigured", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("hardware.mig-unconfigured", snapshot); }

Snapshot with_mig(List<MigDevice> slices) {
  Snapshot host = healthy_nvidia_host();
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.devices.fill().front().mig = true;
  nvidia.devices.fill().front().mig_devices = std::move(slices);
  nvidia.cuda_devices = std::vector<CudaDevice>{};
  return host;
}

TEST(HardwareMigUnconfigured, IsFoundWithoutASlice) {
  const Answers answers = answers_for(with_mig(std::vector<MigDevice>{}));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(finding->fix.front().command, "sudo nvidia-smi mig -i 0 -cgi 0 -C");
}

TEST(HardwareMigUnconfigured, GivesNoCommandInsideAContainer) {
  const Answers answers = answers_for(in_docker(with_mig(std::vector<MigDevice>{})));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "");
}

TEST(HardwareMigUnconfigured, IsSoundWithASlice) { EXPECT_EQ(state(with_mig(std::vector<MigDevice>(1))), "passed"); }

TEST(HardwareMigUnconfigured, IsLikelyWhereTheSlicesAreNotKnownAndCudaFindsNothing) {
  const Answers answers = answers_for(with_mig({}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(HardwareMigUnconfigured, IsUnknownWhereTheSlicesAreNotKnownAndCudaWorks) {
  Snapshot host = with_mig(failed("NVML_ERROR_UNKNOWN"));
  host.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100()};
  EXPECT_EQ(state(host), "unknown");
}

TEST(HardwareMigUnconfigured, DoesNotApplyWithMigOffOrWithoutAGpu) {
  EXPECT_EQ(state(healthy_nvidia_host()), "not-applicable");
  EXPECT_EQ(state(plain_host()), "not-applicable");
}

TEST(HardwareMigUnconfigured, IsUnknownWhereNvmlWasNotAsked) { EXPECT_EQ(state(Snapshot{}), "unknown"); }

}  // namespace
}  // namespace envdoctor::hardware_mig_unconfigured_test
