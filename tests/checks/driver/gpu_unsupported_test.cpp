#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_gpu_unsupported_test {

namespace {

constexpr const char* id = "driver.gpu-unsupported";

std::string state(const Snapshot& snapshot) { return state_of("driver.gpu-unsupported", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.gpu-unsupported", snapshot); }

// A GPU of this id, which NVML doesn't list, under this driver.
Snapshot with(std::string device_id, std::string driver, std::string kind = "proprietary") {
  Snapshot host = healthy_nvidia_host();
  host.pci = std::vector<PciDevice>{pci_gpu("0000:65:00.0", "10de", std::move(device_id), absent("no driver bound"))};
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.kernel_driver_version = std::move(driver);
  nvidia.kernel_module_kind = std::move(kind);
  nvidia.devices = std::vector<NvidiaDevice>{};
  nvidia.cuda_devices = failed("cuInit");
  nvidia.cuinit_error = "CUDA_ERROR_NO_DEVICE";
  return host;
}

constexpr const char* gk104 = "1180";  // GeForce GTX 680, Kepler
constexpr const char* gp107 = "1c81";  // GeForce GTX 1050, Pascal
constexpr const char* gb202 = "2b85";  // GeForce RTX 5090, Blackwell

TEST(DriverGpuUnsupported, IsFoundForAGenerationThatTheBranchHasDropped) {
  const Answers answers = answers_for(with(gk104, "535.129.03"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->fix.front().text.find("470"), std::string::npos);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/nvidia/kernel_driver_version", "/pci/0/device_id"}));
  EXPECT_EQ(state(with(gp107, "595.58.03")), "failed");
}

TEST(DriverGpuUnsupported, IsFoundForAGenerationNewerThanTheDriver) {
  EXPECT_EQ(state(with(gb202, "550.54.14")), "failed");
}

TEST(DriverGpuUnsupported, KnowsWhichGenerationsEachKindOfModuleDrives) {
  EXPECT_EQ(state(with(gp107, "550.54.14", "open")), "failed");
  EXPECT_EQ(state(with(gb202, "580.65.06", "proprietary")), "failed");
  EXPECT_EQ(state(with(gb202, "580.65.06", "open")), "passed");
}

TEST(DriverGpuUnsupported, IsSoundWhereTheBranchSupportsIt) {
  EXPECT_EQ(state(with(gk104, "470.256.02")), "passed");
  EXPECT_EQ(state(with(gp107, "580.65.06")), "passed");
}

TEST(DriverGpuUnsupported, IsDisprovedByADriverThatListsTheGpu) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(DriverGpuUnsupported, BelievesTheKernelModuleItself) {
  Snapshot report;
  report.log = std::vector<Symptom>{symptom_of({SymptomClass::too_old, "gpu"}, {{"branch", "470"}})};
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::certain);
}

TEST(DriverGpuUnsupported, IsUnknownForAGpuOrADriverThatIsNotKnown) {
  EXPECT_EQ(state(with("0000", "550.54.14")), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverGpuUnsupported, DoesNotApplyWithoutADriverOrAGpu) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  EXPECT_EQ(state(host), "not-applicable");
}

}  // namespace
}  // namespace envdoctor::driver_gpu_unsupported_test
