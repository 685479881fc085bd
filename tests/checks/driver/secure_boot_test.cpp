#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_secure_boot_test {

namespace {

constexpr const char* id = "driver.secure-boot";

std::string state(const Snapshot& snapshot) { return state_of("driver.secure-boot", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.secure-boot", snapshot); }

Snapshot unloaded(bool secure) {
  Snapshot host = healthy_nvidia_host();
  host.host.fill().secure_boot = secure;
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  host.modules = std::vector<Module>{};
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.kernel_driver_version = absent("/proc/driver/nvidia/version does not exist");
  nvidia.devices = failed("nvmlInit");
  nvidia.cuda_devices = failed("cuInit");
  nvidia.cuinit_error = "CUDA_ERROR_UNKNOWN";
  return host;
}

TEST(DriverSecureBoot, IsCertainWhereTheKernelRejectedTheSignature) {
  Snapshot host = unloaded(true);
  host.log = std::vector<Symptom>{symptom_of({SymptomClass::refused, "kernel-module-signature"})};
  const Answers answers = answers_for(host);
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"log", "/host/secure_boot"}));
}

TEST(DriverSecureBoot, IsOnlyPossibleWithoutTheKernelsWord) {
  const Answers answers = answers_for(unloaded(true));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

TEST(DriverSecureBoot, IsSoundWithSecureBootOffOrTheModuleLoaded) {
  EXPECT_EQ(state(unloaded(false)), "passed");
  Snapshot host = healthy_nvidia_host();
  host.host.fill().secure_boot = true;
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverSecureBoot, DoesNotApplyWithoutADriverOrAGpu) {
  Snapshot host = plain_host();
  host.host.fill().secure_boot = true;
  EXPECT_EQ(state(host), "not-applicable");
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverSecureBoot, IsUnknownWhereTheFirmwareWasNotAsked) {
  Snapshot host = unloaded(true);
  host.host.fill().secure_boot = failed("/sys/firmware/efi/efivars: EACCES");
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

}  // namespace
}  // namespace envdoctor::driver_secure_boot_test
