#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_module_not_loaded_test {

namespace {

constexpr const char* id = "driver.module-not-loaded";

std::string state(const Snapshot& snapshot) { return state_of("driver.module-not-loaded", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.module-not-loaded", snapshot); }

Snapshot unloaded() {
  Snapshot host = healthy_nvidia_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  host.modules = std::vector<Module>{};
  host.device_nodes = std::vector<DeviceNode>{};
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.kernel_driver_version = absent("/proc/driver/nvidia/version does not exist");
  nvidia.nvml_error = "NVML_ERROR_DRIVER_NOT_LOADED";
  nvidia.cuinit_error = "CUDA_ERROR_NO_DEVICE";
  nvidia.devices = failed("nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED");
  nvidia.cuda_devices = failed("cuInit: CUDA_ERROR_NO_DEVICE");
  nvidia.proc_gpus = absent("/proc/driver/nvidia does not exist");
  return host;
}

TEST(DriverModuleNotLoaded, IsFoundWhereTheLibrariesAreThereAndTheModuleIsNot) {
  const Answers answers = answers_for(unloaded());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->fix.front().command, "sudo modprobe nvidia");
  EXPECT_EQ(finding->fix.at(1).command, "sudo apt-get install linux-headers-5.15.0-105-generic");
}

// An image with the driver's libraries on a machine without a GPU.
TEST(DriverModuleNotLoaded, IsNoMatterWhereTheBusHoldsNoGpu) {
  Snapshot host = unloaded();
  host.pci = std::vector<PciDevice>{};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverModuleNotLoaded, SendsAContainersUserToTheHostWithoutACommand) {
  const Answers answers = answers_for(in_docker(unloaded()));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "");
  EXPECT_TRUE(finding_of(answers, id)->fix.front().text.starts_with("On the host"));
}

TEST(DriverModuleNotLoaded, IsSoundOnAHealthyHost) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(DriverModuleNotLoaded, LeavesAGpuThatNouveauHoldsToItsOwnDiagnosis) {
  Snapshot host = unloaded();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", "nouveau")};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverModuleNotLoaded, DoesNotApplyWhereNothingIsInstalledOrNoGpuIsThere) {
  Snapshot host = plain_host();
  EXPECT_EQ(state(host), "not-applicable");
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverModuleNotLoaded, IsUnknownWhereTheModulesAreNotKnown) {
  Snapshot host = unloaded();
  host.modules = {};
  host.nvidia.fill().kernel_driver_version = {};
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverModuleNotLoaded, TellsADiscreteAmdGpuWithoutAnyDriver) {
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1002", "744c", absent("no driver bound"))};
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->subject, "gpu:0000:03:00.0");
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "sudo modprobe amdgpu");
}

TEST(DriverModuleNotLoaded, BelievesModprobeThatFindsNoModuleForTheKernel) {
  Snapshot report;
  report.nvidia.fill().nvml_error = "couldn't communicate with the NVIDIA driver";
  EXPECT_EQ(state(report), "unknown");
  report.log =
      std::vector<Symptom>{symptom_of({SymptomClass::missing, "kernel-module"}, {{"module", "nvidia"}}, "log.txt")};
  EXPECT_EQ(state(report), "failed");
}

TEST(DriverModuleNotLoaded, IsDisprovedByADriverThatAnswers) {
  const auto sandboxed = [] {
    Snapshot host = healthy_nvidia_host();
    host.modules = std::vector<Module>{};
    host.pci = std::vector<PciDevice>{};
    host.nvidia.fill().kernel_driver_version = absent("no /proc/driver/nvidia");
    host.log =
        std::vector<Symptom>{symptom_of({SymptomClass::missing, "kernel-module"}, {{"module", "nvidia"}}, "log.txt"),
                             symptom_of({SymptomClass::failed, "kernel-module"}, {}, "log.txt")};
    return host;
  };
  EXPECT_EQ(state(sandboxed()), "passed") << "CUDA and NVML list a device";
  Snapshot nvml_alone = sandboxed();
  nvml_alone.nvidia.fill().cuda_devices = failed("cuInit");
  nvml_alone.nvidia.fill().cuinit_error = "CUDA_ERROR_UNKNOWN";
  EXPECT_EQ(state(nvml_alone), "passed");
  EXPECT_EQ(state_of("hardware.no-gpu", nvml_alone), "passed");
  Snapshot silent = nvml_alone;
  silent.nvidia.fill().devices = failed("NVML_ERROR_DRIVER_NOT_LOADED");
  silent.nvidia.fill().nvml_error = "NVML_ERROR_DRIVER_NOT_LOADED";
  EXPECT_NE(state(silent), "passed");
}

}  // namespace
}  // namespace envdoctor::driver_module_not_loaded_test
