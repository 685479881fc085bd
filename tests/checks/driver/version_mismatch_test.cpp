#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_version_mismatch_test {

namespace {

constexpr const char* id = "driver.version-mismatch";

std::string state(const Snapshot& snapshot) { return state_of("driver.version-mismatch", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.version-mismatch", snapshot); }

Snapshot upgraded() {
  Snapshot host = healthy_nvidia_host();
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.userspace_driver_version = "550.90.07";
  nvidia.nvml_error = "NVML_ERROR_LIB_RM_VERSION_MISMATCH";
  nvidia.cuinit_error = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
  nvidia.devices = failed("nvmlInit");
  nvidia.cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverVersionMismatch, IsFoundWhereNvmlRefusesTheModule) {
  const Answers answers = answers_for(upgraded());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->fix.front().command, "sudo reboot");
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/nvidia/nvml_error", "/nvidia/kernel_driver_version",
                                                          "/nvidia/userspace_driver_version"}));
}

TEST(DriverVersionMismatch, IsFoundByTheVersionsAloneAsLikely) {
  Snapshot report;
  report.nvidia.fill().kernel_driver_version = "384.130";
  report.nvidia.fill().userspace_driver_version = "375.66";
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverVersionMismatch, TellsAContainersUserToCleanTheImageAndNotToReboot) {
  const Answers answers = answers_for(in_docker(upgraded()));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "");
  EXPECT_NE(finding_of(answers, id)->fix.front().text.find("image"), std::string::npos);
}

TEST(DriverVersionMismatch, TakesEightZeroFourOnABareHostForAnUpgradeWithoutReboot) {
  Snapshot report = plain_host();
  report.pci = {};
  report.nvidia = {};
  report.nvidia.fill().cuinit_error = "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE";
  EXPECT_EQ(state(report), "failed");
  report.host.fill().container = "docker";
  EXPECT_NE(state(report), "failed");
}

TEST(DriverVersionMismatch, IsSoundWhereTheVersionsAgree) {
  EXPECT_EQ(state(healthy_nvidia_host()), "passed");
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().kernel_driver_version = "535.104.5";
  host.nvidia.fill().userspace_driver_version = "535.104.05";
  host.nvidia.fill().cuda_driver_version = "12.2";
  host.nvidia.fill().cuda_devices = std::vector<CudaDevice>{};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverVersionMismatch, IsSoundWhereCudaWorksWithACompatibilityPackage) {
  Snapshot host = in_docker(healthy_nvidia_host());
  host.nvidia.fill().cuda_library = "/usr/local/cuda/compat/libcuda.so.580.65.06";
  host.nvidia.fill().userspace_driver_version = "580.65.06";
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverVersionMismatch, DoesNotApplyUnderWslOrWithoutAnNvidiaGpu) {
  Snapshot wsl = upgraded();
  wsl.host.fill().platform = "wsl2";
  EXPECT_EQ(state(wsl), "not-applicable");
  EXPECT_EQ(state(plain_host()), "not-applicable");
}

TEST(DriverVersionMismatch, BelievesAProgramThatComparedTheVersions) {
  Snapshot report;
  report.log = std::vector<Symptom>{symptom_of({SymptomClass::mismatch, "driver-version"},
                                               {{"kernel", "440.64.0"}, {"library", "440.82.0"}}, "log.txt")};
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::certain) << "it compares them because no device works";
  EXPECT_EQ(finding_of(answers, id)->evidence.front().path, "log");
  EXPECT_EQ(finding_of(answers, id)->evidence.size(), 1U);
}

TEST(DriverVersionMismatch, IsUnknownWithOneVersionOnly) {
  Snapshot report;
  report.nvidia.fill().kernel_driver_version = "550.54.14";
  EXPECT_EQ(state(report), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverVersionMismatch, ReadsTheKernelsOwnVersionFromItsSecondLine) {
  Snapshot report;
  report.log =
      std::vector<Symptom>{symptom_of({SymptomClass::mismatch, "driver-version"}, {{"library", "535.183.01"}}),
                           symptom_of({SymptomClass::mismatch, "kernel-module-version"}, {{"kernel", "535.171.04"}})};
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->evidence.front().value, "kernel 535.171.04, library 535.183.01");
}

}  // namespace
}  // namespace envdoctor::driver_version_mismatch_test
