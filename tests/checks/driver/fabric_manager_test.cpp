#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_fabric_manager_test {

namespace {

constexpr const char* id = "driver.fabric-manager";

std::string state(const Snapshot& snapshot) { return state_of("driver.fabric-manager", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.fabric-manager", snapshot); }

Snapshot with_switches(bool running) {
  Snapshot host = healthy_nvidia_host();
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.nvswitch = true;
  nvidia.fabric_manager_running = running;
  nvidia.cuinit_error = "CUDA_ERROR_SYSTEM_NOT_READY";
  nvidia.cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverFabricManager, IsCertainWhereCudaWaitsForAServiceThatDoesNotRun) {
  const Answers answers = answers_for(with_switches(false));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->fix.front().command, "sudo systemctl enable --now nvidia-fabricmanager");
  EXPECT_NE(finding->fix.front().text.find("550.54.14"), std::string::npos);
  EXPECT_EQ(paths_of(*finding),
            (std::vector<std::string>{"/nvidia/cuinit_error", "/nvidia/nvswitch", "/nvidia/fabric_manager_running"}));
}

TEST(DriverFabricManager, IsLikelyByTheErrorAlone) {
  Snapshot report;
  report.nvidia.fill().cuinit_error = "CUDA_ERROR_SYSTEM_NOT_READY";
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverFabricManager, IsSoundWhereCudaWorks) {
  Snapshot host = with_switches(false);  // in a virtual machine the service runs outside
  host.nvidia.fill().cuinit_error = absent("CUDA_SUCCESS");
  host.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100()};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverFabricManager, DoesNotApplyWithoutSwitchesOrAGpu) {
  Snapshot host = with_switches(false);
  host.nvidia.fill().nvswitch = false;
  host.nvidia.fill().cuinit_error = "CUDA_ERROR_UNKNOWN";
  EXPECT_EQ(state(host), "not-applicable");
  EXPECT_EQ(state(plain_host()), "not-applicable");
}

TEST(DriverFabricManager, IsUnknownWhereCuInitWasNotAsked) { EXPECT_EQ(state(Snapshot{}), "unknown"); }

}  // namespace
}  // namespace envdoctor::driver_fabric_manager_test
