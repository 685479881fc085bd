#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_too_old_test {

using enum SymptomClass;

namespace {

constexpr const char* id = "driver.too-old";

std::string state(const Snapshot& snapshot) { return state_of("driver.too-old", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.too-old", snapshot); }

Snapshot with_torch(std::string driver, std::string cuda) {
  Snapshot report;
  report.host.fill().platform = "linux";
  report.nvidia.fill().kernel_driver_version = std::move(driver);
  Torch& torch = report.torch.fill();
  torch.version = "2.0.0";
  torch.cuda_version = std::move(cuda);
  torch.cuda_available = false;
  return report;
}

TEST(DriverTooOld, IsFoundForAnEarlierMajorVersionOfCuda) {
  const Answers answers = answers_for(with_torch("470.86", "12.1"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->subject, "framework:torch");
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/nvidia/kernel_driver_version", "/torch/cuda_version"}));
}

TEST(DriverTooOld, KnowsMinorVersionCompatibilityFromCudaElevenOn) {
  EXPECT_EQ(state(with_torch("525.60.13", "12.8")), "passed");
  EXPECT_EQ(state(with_torch("450.80.02", "11.8")), "passed");
  EXPECT_EQ(state(with_torch("535.54.03", "13.0")), "failed");
  EXPECT_EQ(state(with_torch("580.65.06", "12.1")), "passed");
}

TEST(DriverTooOld, TakesTheMinorVersionSeriouslyBeforeCudaEleven) {
  EXPECT_EQ(state(with_torch("410.104", "10.2")), "failed");
  EXPECT_EQ(state(with_torch("418.67", "10.2")), "failed");
  EXPECT_EQ(state(with_torch("440.33.01", "10.2")), "passed");
}

TEST(DriverTooOld, BelievesTheHighestCudaThatTheDriverReports) {
  Snapshot report = with_torch("470.86", "12.1");
  report.nvidia.fill().cuda_driver_version = "12.2";  // by a compatibility package
  EXPECT_EQ(state(report), "passed");
}

TEST(DriverTooOld, IsNotSaidToAFrameworkThatUsesCuda) {
  Snapshot report = with_torch("470.86", "12.1");
  report.torch.fill().cuda_available = true;
  EXPECT_EQ(state(report), "passed");
}

TEST(DriverTooOld, ReadsTheCudaVersionFromTheTagOfTheBuild) {
  Snapshot report = with_torch("470.86", "");
  report.torch.fill().cuda_version = {};
  report.torch.fill().version = "2.1.2+cu121";
  EXPECT_EQ(state(report), "failed");
  report.torch.fill().version = "2.1.2+cpu";
  EXPECT_EQ(state(report), "passed");
}

TEST(DriverTooOld, ReadsJaxsCudaVersionFromItsPlugIn) {
  Snapshot report = with_torch("535.54.03", "");
  report.torch = {};
  report.python.fill().packages = std::map<std::string, std::string>{{"jax-cuda13-plugin", "0.8.0"}};
  EXPECT_EQ(state(report), "failed");
  report.python.fill().packages = std::map<std::string, std::string>{{"jax_cuda12_plugin", "0.4.30"}};
  EXPECT_EQ(state(report), "passed");
}

TEST(DriverTooOld, TellsANewerToolkitAsInformationOnly) {
  Snapshot host = healthy_nvidia_host();
  host.toolkits = std::vector<Toolkit>{{.path = "/usr/local/cuda-13.0", .version = "13.0"}};
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::info);
  host.toolkits = std::vector<Toolkit>{{.path = "/usr/local/cuda-12.9", .version = "12.9"}};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverTooOld, IsUnknownWithoutTheDriversVersion) {
  Snapshot report = with_torch("", "12.1");
  report.nvidia = {};
  EXPECT_EQ(state(report), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverTooOld, DoesNotApplyWithoutADriverOrAGpu) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverTooOld, TakesVersionZeroForNoDriverAndNotForAnOldOne) {
  Snapshot report;
  report.log = std::vector<Symptom>{symptom_of({too_old, "driver"}, {{"found", "0"}}, "log.txt")};
  EXPECT_EQ(state(report), "unknown");
  report.log = std::vector<Symptom>{symptom_of({too_old, "driver"}, {{"found", "11040"}}, "log.txt")};
  EXPECT_EQ(state(report), "failed");
}

}  // namespace
}  // namespace envdoctor::driver_too_old_test
