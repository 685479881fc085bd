#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_wsl_test {

namespace {

constexpr const char* id = "driver.wsl";

std::string state(const Snapshot& snapshot) { return state_of("driver.wsl", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.wsl", snapshot); }

Snapshot wsl() {
  Snapshot host = healthy_nvidia_host();
  host.host.fill().platform = "wsl2";
  host.pci = std::vector<PciDevice>{};
  host.modules = std::vector<Module>{};
  host.device_nodes = std::vector<DeviceNode>{node_at("/dev/dxg")};
  host.libraries = std::vector<SharedLibrary>{library_at("libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1")};
  host.nvidia.fill().cuda_library = "/usr/lib/wsl/lib/libcuda.so.1";
  host.nvidia.fill().kernel_driver_version = absent("no /proc/driver/nvidia");
  return host;
}

Snapshot failing(std::string error) {
  Snapshot host = wsl();
  host.nvidia.fill().cuinit_error = std::move(error);
  host.nvidia.fill().cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverWsl, IsFoundWhereWindowsBlocksTheGpu) {
  Snapshot host = failing("CUDA_ERROR_NO_DEVICE");
  host.nvidia.fill().nvml_error = "GPU access blocked by the operating system";
  host.nvidia.fill().devices = failed("nvmlInit");
  const Answers answers = answers_for(host);
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::likely);
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/nvidia/nvml_error"});
}

TEST(DriverWsl, IsFoundWhereALinuxDriverWasInstalledInside) {
  Snapshot host = failing("CUDA_ERROR_NO_DEVICE");
  host.nvidia.fill().cuda_library = "/usr/lib/x86_64-linux-gnu/libcuda.so.535.54.03";
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_EQ(finding_of(answers, id)->evidence.front().path, "/nvidia/cuda_library");
}

TEST(DriverWsl, IsFoundWithoutTheNodeThatLeadsToWindows) {
  Snapshot host = failing("CUDA_ERROR_NO_DEVICE");
  host.nvidia.fill().cuinit_error = {};
  host.device_nodes = std::vector<DeviceNode>{};
  EXPECT_EQ(state(host), "failed");
}

TEST(DriverWsl, IsOnlyPossibleForAnErrorThatNamesNoCause) {
  const Answers answers = answers_for(failing("CUDA_ERROR_UNKNOWN"));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

TEST(DriverWsl, IsSoundWhereCudaWorks) {
  EXPECT_EQ(state(wsl()), "passed");
  Snapshot host = failing("CUDA_ERROR_UNKNOWN");  // in one place, while a framework uses CUDA in another
  host.torch.fill().cuda_available = true;
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverWsl, DoesNotApplyOutsideWsl) {
  EXPECT_EQ(state(healthy_nvidia_host()), "not-applicable");
  EXPECT_EQ(state(plain_host()), "not-applicable");
}

TEST(DriverWsl, IsUnknownWhereThePlatformOrTheAnswerIsNotKnown) {
  EXPECT_EQ(state(Snapshot{}), "unknown");
  Snapshot report;
  report.host.fill().platform = "wsl2";
  EXPECT_EQ(state(report), "unknown");
}

}  // namespace
}  // namespace envdoctor::driver_wsl_test
