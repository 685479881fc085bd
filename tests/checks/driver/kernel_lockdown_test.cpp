#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_kernel_lockdown_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.kernel-lockdown";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

const Symptom refused_by_lockdown = symptom_of({refused, "kernel-module-by-lockdown"});

TEST(DriverKernelLockdown, IsLikelyWhereLockdownRefusesTheModule) {
  EXPECT_EQ(state_of(id, with({refused_by_lockdown})), "failed");
  EXPECT_NE(state_of("driver.secure-boot", with({refused_by_lockdown})), "failed");
}

TEST(DriverKernelLockdown, IsSecureBootsWhereThatIsOn) {
  const Symptom by_efi = symptom_of({present, "kernel-lockdown"}, {{"by", "EFI Secure Boot mode"}});
  EXPECT_EQ(state_of(id, with({by_efi, refused_by_lockdown})), "not-applicable");
  EXPECT_EQ(state_of("driver.secure-boot", with({by_efi, refused_by_lockdown})), "failed");
}

TEST(DriverKernelLockdown, IsAGuessByTheHostsStateAlone) {
  Snapshot host = healthy_nvidia_host();
  EXPECT_EQ(state_of(id, host), "passed");
  host.nvidia = Nvidia{.kernel_driver_version = absent("no module")};
  host.modules = std::vector<Module>{};
  host.device_nodes = std::vector<DeviceNode>{};
  host.host.fill().secure_boot = false;
  host.host.fill().lockdown = "integrity";
  const Answers answers = answers_of(id, host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
  host.host.fill().lockdown = "none";
  EXPECT_EQ(state_of(id, host), "passed");
}

}  // namespace
}  // namespace envdoctor::driver_kernel_lockdown_test
