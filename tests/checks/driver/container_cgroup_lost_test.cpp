#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_container_cgroup_lost_test {

namespace {

constexpr const char* id = "driver.container-cgroup-lost";

std::string state(const Snapshot& snapshot) { return state_of("driver.container-cgroup-lost", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.container-cgroup-lost", snapshot); }

Snapshot lost() {
  Snapshot pod = in_docker(healthy_nvidia_host());
  pod.device_nodes = std::vector<DeviceNode>{closed_node(node_at("/dev/nvidia-uvm"), "EPERM"),
                                             closed_node(node_at("/dev/nvidia0"), "EPERM"),
                                             closed_node(node_at("/dev/nvidiactl"), "EPERM")};
  Nvidia& nvidia = pod.nvidia.fill();
  nvidia.nvml_error = "NVML_ERROR_UNKNOWN";
  nvidia.devices = failed("nvmlInit");
  nvidia.cuinit_error = "CUDA_ERROR_NO_DEVICE";
  nvidia.cuda_devices = failed("cuInit");
  return pod;
}

TEST(DriverContainerCgroupLost, IsCertainWhereTheControlNodeIsForbiddenAndNvmlFails) {
  const Answers answers = answers_for(lost());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/device_nodes/2/error", "/nvidia/nvml_error"}));
}

TEST(DriverContainerCgroupLost, SeesItInTheRulesOfCgroupOne) {
  Snapshot pod = lost();
  pod.nvidia.fill().nvml_error = failed("the child was killed");
  pod.host.fill().cgroup.fill().devices = std::vector<std::string>{"c 1:3 rwm", "c 195:* m"};
  const Answers answers = answers_for(pod);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::certain);
}

TEST(DriverContainerCgroupLost, IsOnlyLikelyWhereNvmlWasNotAsked) {
  Snapshot pod = lost();
  pod.nvidia.fill().nvml_error = failed("the child was killed");
  const Answers answers = answers_for(pod);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverContainerCgroupLost, IsOnlyPossibleByTheMessageAloneOutsideAContainer) {
  Snapshot report;
  report.nvidia.fill().nvml_error = "Unknown Error";
  const auto sure = [&] {
    const Answers answers = answers_for(report);
    const Finding* finding = finding_of(answers, id);
    return finding ? finding->confidence : Confidence::certain;
  };
  EXPECT_EQ(sure(), Confidence::possible);
  report.host.fill().container = "docker";
  EXPECT_EQ(sure(), Confidence::likely) << "as for the same message in a container's log";
}

TEST(DriverContainerCgroupLost, IsSoundWhereTheControlNodeOpensAndOneGpuOfEightIsWithheld) {
  Snapshot pod = in_docker(healthy_nvidia_host());
  pod.device_nodes.fill().push_back(closed_node(node_at("/dev/nvidia1"), "EPERM"));
  EXPECT_EQ(state(pod), "passed");
}

TEST(DriverContainerCgroupLost, DoesNotApplyOutsideAContainerOrWithoutAGpu) {
  EXPECT_EQ(state(healthy_nvidia_host()), "not-applicable");
  EXPECT_EQ(state(in_docker(plain_host())), "not-applicable");
}

TEST(DriverContainerCgroupLost, IsUnknownWhereNobodyLooked) { EXPECT_EQ(state(Snapshot{}), "unknown"); }

}  // namespace
}  // namespace envdoctor::driver_container_cgroup_lost_test
