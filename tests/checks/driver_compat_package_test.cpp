#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor {

Check driver_compat_package();

namespace {

constexpr const char* id = "driver.compat-package";

std::string state(const Snapshot& snapshot) { return state_of(driver_compat_package(), snapshot, id); }

Answers told(const Snapshot& snapshot) { return answers_of(driver_compat_package(), snapshot); }

Snapshot with_compat(std::string error) {
  Snapshot host = in_docker(healthy_nvidia_host());
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.cuda_library = "/usr/local/cuda-12.8/compat/libcuda.so.570.86.10";
  nvidia.cuinit_error = std::move(error);
  nvidia.cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverCompatPackage, IsFoundWhereItsLibraryIsLoadedAndRefused) {
  const Answers answers = told(with_compat("CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/nvidia/cuinit_error", "/nvidia/cuda_library"}));
}

TEST(DriverCompatPackage, IsLikelyForTheErrorAloneInAContainer) {
  Snapshot report;
  report.host.fill().container = "docker";
  report.nvidia.fill().cuinit_error = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
  const Answers answers = told(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverCompatPackage, KnowsItByADriverAndACudaThatDoNotBelongTogether) {
  Snapshot report;
  Nvidia& nvidia = report.nvidia.fill();
  nvidia.kernel_driver_version = "470.141.03";
  nvidia.cuda_driver_version = "11.7";
  nvidia.cuinit_error = "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE";
  EXPECT_EQ(state(report), "found");
}

TEST(DriverCompatPackage, IsNotBlamedForADeviceThatAVariableHides) {
  Snapshot report;
  Nvidia& nvidia = report.nvidia.fill();
  nvidia.kernel_driver_version = "470.141.03";
  nvidia.cuda_driver_version = "11.7";
  nvidia.cuinit_error = "CUDA_ERROR_NO_DEVICE";
  EXPECT_EQ(state(report), "found");
  report.env = std::map<std::string, Text>{{"CUDA_VISIBLE_DEVICES", ""}};
  EXPECT_NE(state(report), "found");
}

TEST(DriverCompatPackage, IsNotBlamedWhereNvmlSaysThatVersionsDiffer) {
  Snapshot report;
  report.nvidia.fill().cuinit_error = "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE";
  EXPECT_EQ(state(report), "found");
  report.nvidia.get()->nvml_error = "NVML_ERROR_LIB_RM_VERSION_MISMATCH";
  EXPECT_NE(state(report), "found");
}

TEST(DriverCompatPackage, IsSoundWhereItWorks) {
  Snapshot host = with_compat("CUDA_ERROR_UNKNOWN");
  host.nvidia.fill().cuinit_error = absent("CUDA_SUCCESS");
  host.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100()};
  EXPECT_EQ(state(host), "sound");
}

TEST(DriverCompatPackage, IsSoundWithTheDriversOwnLibrary) { EXPECT_EQ(state(healthy_nvidia_host()), "sound"); }

TEST(DriverCompatPackage, IsUnknownWhereItWasNotTried) {
  Snapshot host = with_compat("");
  host.nvidia.fill().cuinit_error = failed("the child was killed after 10 s");
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverCompatPackage, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

}  // namespace
}  // namespace envdoctor
