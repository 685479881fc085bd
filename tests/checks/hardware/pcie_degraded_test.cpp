#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_pcie_degraded_test {

namespace {

constexpr const char* id = "hardware.pcie-degraded";

std::string state(const Snapshot& snapshot) { return state_of("hardware.pcie-degraded", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("hardware.pcie-degraded", snapshot); }

Snapshot with_width(std::int64_t width, std::int64_t most) {
  Snapshot host = healthy_nvidia_host();
  PciLink link;
  link.width = width;
  link.max_width = most;
  link.speed_gtps = 2.5;
  link.max_speed_gtps = 16.0;
  host.pci.fill().front().link = link;
  return host;
}

TEST(HardwarePcieDegraded, IsFoundWithAQuarterOfTheLanes) {
  const Answers answers = answers_for(with_width(4, 16));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_EQ(finding->subject, "gpu:0000:65:00.0");
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/pci/0/link/width", "/pci/0/link/max_width"}));
}

TEST(HardwarePcieDegraded, IsOnlyInformationWithHalfTheLanesAsManySlotsAreWired) {
  const Answers answers = answers_for(with_width(8, 16));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::info);
}

TEST(HardwarePcieDegraded, IsSoundWithTheHalfThatALaptopsGpuIsSolderedTo) {
  Snapshot host = with_width(8, 16);
  host.nvidia.fill().devices.fill().front().name = "NVIDIA RTX A2000 Laptop GPU";
  host.nvidia.fill().cuda_devices = {};
  EXPECT_EQ(state(host), "passed");
  host.pci.fill().front().link.fill().width = 1;
  EXPECT_EQ(state(host), "failed");
}

TEST(HardwarePcieDegraded, IsSoundAtFullWidthWhateverTheSpeedOfAnIdleLink) {
  EXPECT_EQ(state(with_width(16, 16)), "passed");
}

TEST(HardwarePcieDegraded, NotesASlowLinkUnderLoadAsPossible) {
  Snapshot host = with_width(16, 16);
  host.nvidia.fill().devices.fill().front().utilization_percent = 97;
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::info);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

TEST(HardwarePcieDegraded, IsUnknownForAWidthThatASleepingDeviceShows) {
  EXPECT_EQ(state(with_width(63, 63)), "unknown");
  EXPECT_EQ(state(with_width(0, 16)), "unknown");
}

TEST(HardwarePcieDegraded, IsUnknownWhereNobodyReadTheLink) {
  EXPECT_EQ(state(healthy_nvidia_host()), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(HardwarePcieDegraded, DoesNotApplyInAVirtualMachineOrWithoutAGpu) {
  Snapshot guest = with_width(1, 16);
  guest.host.fill().virtualization = "kvm";
  EXPECT_EQ(state(guest), "not-applicable");
  EXPECT_EQ(state(plain_host()), "not-applicable");
}

}  // namespace
}  // namespace envdoctor::hardware_pcie_degraded_test
