#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_compat_package_test {

namespace {

constexpr const char* id = "driver.compat-package";

std::string state(const Snapshot& snapshot) { return state_of("driver.compat-package", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.compat-package", snapshot); }

Snapshot with_compat(std::string error) {
  Snapshot host = in_docker(healthy_nvidia_host());
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.cuda_library = "/usr/local/cuda-12.8/compat/libcuda.so.570.86.10";
  nvidia.cuinit_error = std::move(error);
  nvidia.cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverCompatPackage, IsFoundWhereItsLibraryIsLoadedAndRefused) {
  const Answers answers = answers_for(with_compat("CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/nvidia/cuinit_error", "/nvidia/cuda_library"}));
}

TEST(DriverCompatPackage, IsLikelyForTheErrorAloneInAContainer) {
  Snapshot report;
  report.host.fill().container = "docker";
  report.nvidia.fill().cuinit_error = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverCompatPackage, KnowsItByADriverAndACudaThatDoNotBelongTogether) {
  Snapshot report;
  Nvidia& nvidia = report.nvidia.fill();
  nvidia.kernel_driver_version = "470.141.03";
  nvidia.cuda_driver_version = "11.7";
  nvidia.cuinit_error = "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE";
  EXPECT_EQ(state(report), "failed");
}

TEST(DriverCompatPackage, IsNotBlamedForADeviceThatAVariableHides) {
  Snapshot report;
  Nvidia& nvidia = report.nvidia.fill();
  nvidia.kernel_driver_version = "470.141.03";
  nvidia.cuda_driver_version = "11.7";
  nvidia.cuinit_error = "CUDA_ERROR_NO_DEVICE";
  EXPECT_EQ(state(report), "failed");
  report.env = std::map<std::string, Text>{{"CUDA_VISIBLE_DEVICES", ""}};
  EXPECT_NE(state(report), "failed");
}

TEST(DriverCompatPackage, IsNotBlamedWhereNvmlSaysThatVersionsDiffer) {
  Snapshot report;
  report.nvidia.fill().cuinit_error = "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE";
  EXPECT_EQ(state(report), "failed");
  report.nvidia.get()->nvml_error = "NVML_ERROR_LIB_RM_VERSION_MISMATCH";
  EXPECT_NE(state(report), "failed");
}

TEST(DriverCompatPackage, IsSoundWhereItWorks) {
  Snapshot host = with_compat("CUDA_ERROR_UNKNOWN");
  host.nvidia.fill().cuinit_error = absent("CUDA_SUCCESS");
  host.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100()};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverCompatPackage, IsSoundWithTheDriversOwnLibrary) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(DriverCompatPackage, IsUnknownWhereItWasNotTried) {
  Snapshot host = with_compat("");
  host.nvidia.fill().cuinit_error = failed("the child was killed after 10 s");
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverCompatPackage, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

TEST(DriverCompatPackage, IsKnownInAContainerByALibraryOfANewerBranch) {
  Snapshot report;
  report.log = std::vector<Symptom>{
      symptom_of({SymptomClass::mismatch, "driver-version"}, {{"kernel", "450.51.5"}, {"library", "460.27.4"}})};
  EXPECT_NE(state(report), "failed") << "on a host the libraries were upgraded";
  EXPECT_EQ(state_of("driver.version-mismatch", report), "failed");
  report = in_docker(report);
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->evidence.front().value, "kernel 450.51.5, library 460.27.4");
  EXPECT_EQ(state_of("driver.version-mismatch", report), "not-applicable");
}

TEST(DriverCompatPackage, IsNotClaimedWithoutASignOfSuchAPackage) {
  Snapshot report;
  Nvidia& nvidia = report.nvidia.fill();
  nvidia.kernel_driver_version = "535.104.05";
  nvidia.userspace_driver_version = "550.54.15";
  nvidia.cuda_driver_version = "12.4";  // that library's own
  for (const char* error : {"CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "803"}) {
    nvidia.cuinit_error = error;
    EXPECT_NE(state(report), "failed") << error;
    EXPECT_EQ(state_of("driver.version-mismatch", report), "failed") << error;
  }
}

TEST(DriverCompatPackage, ReadsTheErrorThatAProgramPrintsByNameOrByNumber) {
  for (const char* code : {"804", "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "UNKNOWN ERROR (804)"}) {
    Snapshot report;
    report.log = std::vector<Symptom>{symptom_of({SymptomClass::failed, "cuda-call"}, {{"code", code}})};
    EXPECT_EQ(state(report), "failed") << code;
  }
}

}  // namespace
}  // namespace envdoctor::driver_compat_package_test
