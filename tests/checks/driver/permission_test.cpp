#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_permission_test {

namespace {

constexpr const char* id = "driver.permission";

std::string state(const Snapshot& snapshot) { return state_of("driver.permission", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.permission", snapshot); }

Snapshot refused(DeviceNode node) {
  Snapshot host = healthy_nvidia_host();
  host.device_nodes = std::vector<DeviceNode>{closed_node(std::move(node), "EACCES")};
  host.nvidia.fill().devices = std::vector<NvidiaDevice>{};
  host.nvidia.fill().cuinit_error = "CUDA_ERROR_NO_DEVICE";
  host.nvidia.fill().cuda_devices = failed("cuInit");
  return host;
}

Snapshot amd_host(DeviceNode kfd) {
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1002", "744c", "amdgpu")};
  host.device_nodes = std::vector<DeviceNode>{std::move(kfd)};
  host.rocm.fill().version = "6.2.0";
  return host;
}

TEST(DriverPermission, NamesTheGroupAndTheExactCommand) {
  const Answers answers = answers_for(amd_host(closed_node(node_at("/dev/kfd", "render", 993, "0660"), "EACCES")));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(finding->fix.front().command, "sudo usermod -aG render $USER");
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/device_nodes/0/error"});
}

TEST(DriverPermission, NamesTheGroupsNumberInAContainer) {
  const Answers answers =
      answers_for(in_docker(amd_host(closed_node(node_at("/dev/kfd", "993", 993, "0660"), "EACCES"))));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "");
  EXPECT_NE(finding_of(answers, id)->fix.front().text.find("--group-add 993"), std::string::npos);
}

TEST(DriverPermission, IsOnlyInformationWhereNobodyUsesRocm) {
  Snapshot host = amd_host(closed_node(node_at("/dev/kfd", "render", 993, "0660"), "EACCES"));
  host.rocm = {};
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::info);
}

TEST(DriverPermission, PointsAtTheModulesOptionWhereTheModeIsRootsAlone) {
  const Answers answers = answers_for(refused(node_at("/dev/nvidiactl", "root", 0, "0660")));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_NE(finding_of(answers, id)->fix.front().text.find("NVreg_DeviceFileMode"), std::string::npos);
}

TEST(DriverPermission, TakesNvmlsWordForLikely) {
  Snapshot report;
  report.nvidia.fill().nvml_error = "Insufficient Permissions";
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverPermission, LeavesWhatTheCgroupForbidsToOthers) {
  Snapshot host = refused(node_at("/dev/nvidiactl"));
  host.device_nodes.fill().front().error = "EPERM";
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverPermission, IgnoresNodesThatCudaDoesNotNeed) {
  Snapshot host = healthy_nvidia_host();
  host.device_nodes.fill().push_back(closed_node(node_at("/dev/nvidia-caps/nvidia-cap1", "root", 0, "0400"), "EACCES"));
  host.device_nodes.fill().push_back(closed_node(node_at("/dev/dri/renderD128", "render", 993, "0660"), "EACCES"));
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverPermission, IsSoundOnAHealthyHost) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(DriverPermission, IsUnknownWhereTheNodesAreNotKnown) { EXPECT_EQ(state(Snapshot{}), "unknown"); }

TEST(DriverPermission, DoesNotApplyWithoutAGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

}  // namespace
}  // namespace envdoctor::driver_permission_test
