#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_no_gpu_test {

namespace {

constexpr const char* id = "hardware.no-gpu";

std::string state(const Snapshot& snapshot) { return state_of("hardware.no-gpu", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("hardware.no-gpu", snapshot); }

TEST(HardwareNoGpu, IsFoundWhereTheBusWasReadAndHoldsNone) {
  const Answers answers = answers_for(plain_host());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/pci"});
}

TEST(HardwareNoGpu, IsSoundWithAGpuOnTheBus) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(HardwareNoGpu, IsUnknownWhereTheBusCouldNotBeRead) {
  Snapshot host = plain_host();
  host.pci = failed("/sys/bus/pci/devices: EACCES");
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(HardwareNoGpu, IsUnknownUnderWslWhichShowsNoGpuOnTheBus) {
  Snapshot host = plain_host();
  host.host.fill().platform = "wsl2";
  EXPECT_EQ(state(host), "unknown");
}

TEST(HardwareNoGpu, IsUnknownWhereANodeOfAGpuDriverExists) {
  Snapshot host = plain_host();
  host.device_nodes = std::vector<DeviceNode>{node_at("/dev/nvhost-gpu")};
  EXPECT_EQ(state(host), "unknown");
}

// NVIDIA's libraries make /dev/nvidiactl wherever root runs them.
TEST(HardwareNoGpu, IsFoundDespiteANodeWithoutADriver) {
  Snapshot host = plain_host();
  host.device_nodes = std::vector<DeviceNode>{
      {.path = std::string("/dev/nvidiactl"), .accessible = false, .error = std::string("ENXIO")}};
  EXPECT_EQ(state(host), "failed");
}

TEST(HardwareNoGpu, CountsNoManagementConsole) {
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1a03", "2000", "ast")};
  EXPECT_EQ(state(host), "failed");
}

TEST(HardwareNoGpu, SaysThatTheGpusAreSetAsideForVirtualMachines) {
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", "vfio-pci")};
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(paths_of(*finding_of(answers, id)), std::vector<std::string>{"/pci/0/driver"});
}

TEST(HardwareNoGpu, IsNotDisprovedByLevelZerosNullDriver) {
  Snapshot host = plain_host();
  host.level_zero.fill().devices = std::vector<LevelZeroDevice>{{.name = "Intel GPU", .type = "gpu"}};
  EXPECT_EQ(state(host), "failed") << "the bus holds no GPU, and no node stands by which one could be reached";
  host.device_nodes = std::vector<DeviceNode>{node_at("/dev/dri/renderD128")};
  EXPECT_EQ(state(host), "passed");
  host.device_nodes = {};
  EXPECT_EQ(state(host), "passed") << "nobody looked for nodes";
}

TEST(HardwareNoGpu, IsDisprovedByADriverThatAnswers) {
  Snapshot host = plain_host();
  host.nvidia.fill().devices = std::vector<NvidiaDevice>{nvml_a100()};
  EXPECT_EQ(state(host), "passed");
}

}  // namespace
}  // namespace envdoctor::hardware_no_gpu_test
