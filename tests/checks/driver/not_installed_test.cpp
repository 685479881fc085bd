#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_not_installed_test {

namespace {

constexpr const char* id = "driver.not-installed";

std::string state(const Snapshot& snapshot) { return state_of("driver.not-installed", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.not-installed", snapshot); }

Snapshot without_driver() {
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  return host;
}

TEST(DriverNotInstalled, IsFoundWhereNoPartOfItIsAnywhere) {
  const Answers answers = answers_for(without_driver());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->subject, "gpu:0000:65:00.0");
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->fix.front().command, "sudo ubuntu-drivers install");
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/pci/0/driver", "/modules", "/libraries/0/found"}));
}

TEST(DriverNotInstalled, GivesNoCommandWhereTheDistributionIsNotKnown) {
  Snapshot host = without_driver();
  host.host.fill().os = "Some Linux 1.0";
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "");
}

TEST(DriverNotInstalled, IsSoundOnAHealthyHost) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(DriverNotInstalled, IsNotSaidOfADriverThatIsInstalledAndNotLoaded) {
  Snapshot host = without_driver();
  host.libraries = std::vector<SharedLibrary>{library_at("libcuda.so.1", "/usr/lib64/libcuda.so.1")};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverNotInstalled, LeavesAGpuThatNouveauHoldsToItsOwnDiagnosis) {
  Snapshot host = without_driver();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", "nouveau")};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverNotInstalled, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

TEST(DriverNotInstalled, NeverFiresBecauseTheDriverWasNotLookedFor) {
  Snapshot host = without_driver();
  host.nvidia = {};
  host.libraries = {};
  EXPECT_EQ(state(host), "unknown");
  host = without_driver();
  host.modules = {};
  EXPECT_EQ(state(host), "unknown");
  host = without_driver();
  host.pci.fill().front().driver = {};
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverNotInstalled, SaysNothingOfAGpuThatWasNotGranted) {
  Snapshot pod = in_docker(healthy_nvidia_host());
  pod.pci.fill().push_back(pci_a100("0000:66:00.0", absent("not known inside the container")));
  EXPECT_EQ(state(pod), "passed");
}

}  // namespace
}  // namespace envdoctor::driver_not_installed_test
