#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_device_nodes_missing_test {

namespace {

constexpr const char* id = "driver.device-nodes-missing";

std::string state(const Snapshot& snapshot) { return state_of("driver.device-nodes-missing", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.device-nodes-missing", snapshot); }

Snapshot without_uvm(std::string error) {
  Snapshot host = healthy_nvidia_host();
  host.device_nodes = std::vector<DeviceNode>{node_at("/dev/nvidia0"), node_at("/dev/nvidiactl")};
  host.nvidia.fill().cuinit_error = std::move(error);
  host.nvidia.fill().cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverDeviceNodesMissing, IsFoundWhereCudaFailsWithoutItsNode) {
  const Answers answers = answers_for(without_uvm("CUDA_ERROR_UNKNOWN"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->fix.front().command, "sudo nvidia-modprobe -c0 -u");
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/device_nodes", "/nvidia/cuinit_error"}));
}

// A text that holds these lines and nothing else.
Snapshot text_of_lines(std::vector<Symptom> lines) {
  Snapshot host;
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(DriverDeviceNodesMissing, IsPossibleWhereTheControlNodeIsNamed) {
  const Symptom line = symptom_of({SymptomClass::missing, "device-node"}, {{"node", "/dev/nvidiactl"}});
  const Answers answers = answers_of(id, text_of_lines({line}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

TEST(DriverDeviceNodesMissing, TellsAContainersUserToPassTheNodesOn) {
  const Answers answers = answers_for(in_docker(without_uvm("CUDA_ERROR_UNKNOWN")));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "");
}

TEST(DriverDeviceNodesMissing, IsUnknownBeforeCudaWasEverUsedWhichMakesTheNodes) {
  Snapshot host = without_uvm("");
  host.nvidia.fill().cuinit_error = {};
  host.nvidia.fill().cuda_devices = {};
  EXPECT_EQ(state(host), "unknown");
}

TEST(DriverDeviceNodesMissing, IsSoundWhereCudaWorksOrAllNodesAreThere) {
  EXPECT_EQ(state(healthy_nvidia_host()), "passed");
  Snapshot host = without_uvm("CUDA_ERROR_UNKNOWN");
  host.device_nodes.fill().push_back(node_at("/dev/nvidia-uvm"));
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverDeviceNodesMissing, DoesNotApplyToAContainerThatWasGivenNoGpu) {
  Snapshot pod = in_docker(without_uvm("CUDA_ERROR_NO_DEVICE"));
  pod.device_nodes = std::vector<DeviceNode>{};
  EXPECT_EQ(state(pod), "not-applicable");
}

TEST(DriverDeviceNodesMissing, DoesNotApplyWithoutADriverOrAGpu) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverDeviceNodesMissing, IsUnknownWhereTheNodesAreNotKnown) {
  Snapshot host = without_uvm("CUDA_ERROR_UNKNOWN");
  host.device_nodes = {};
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverDeviceNodesMissing, TellsAnAmdGpuWithoutARenderNode) {
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1002", "744c", "amdgpu")};
  EXPECT_EQ(state(host), "failed");
  host.device_nodes = std::vector<DeviceNode>{node_at("/dev/dri/renderD128")};
  EXPECT_EQ(state(host), "not-applicable");
}

}  // namespace
}  // namespace envdoctor::driver_device_nodes_missing_test
