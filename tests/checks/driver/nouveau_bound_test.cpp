#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_nouveau_bound_test {

using enum SymptomClass;

namespace {

constexpr const char* id = "driver.nouveau-bound";

std::string state(const Snapshot& snapshot) { return state_of("driver.nouveau-bound", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.nouveau-bound", snapshot); }

Snapshot held_by(std::string driver) {
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", std::move(driver))};
  return host;
}

TEST(DriverNouveauBound, IsFoundWhereNouveauHoldsTheGpu) {
  const Answers answers = answers_for(held_by("nouveau"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->subject, "gpu:0000:65:00.0");
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/pci/0/driver"});
  EXPECT_EQ(finding->fix.front().command, "sudo ubuntu-drivers install");
}

TEST(DriverNouveauBound, OnlyWarnsBesideAGpuThatWorks) {
  Snapshot host = healthy_nvidia_host();
  host.pci.fill().push_back(pci_a100("0000:b3:00.0", "nouveau"));
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
}

TEST(DriverNouveauBound, BelievesTheKernelLogsWordForLikely) {
  Snapshot report;
  report.log = std::vector<Symptom>{symptom_of({ignored, "driver-probe"}, {{"count", "3"}})};
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverNouveauBound, IsSoundWithNvidiasDriverOrNone) {
  EXPECT_EQ(state(healthy_nvidia_host()), "passed");
  Snapshot host = held_by("nouveau");
  host.pci.fill().front().driver = absent("no driver bound");
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverNouveauBound, IsUnknownWhereTheBoundDriverIsNotKnown) {
  Snapshot host = held_by("nouveau");
  host.pci.fill().front().driver = {};
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(DriverNouveauBound, DoesNotApplyWithoutAnNvidiaGpuOrToOneInAVirtualMachine) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  EXPECT_EQ(state(held_by("vfio-pci")), "not-applicable");
}

}  // namespace
}  // namespace envdoctor::driver_nouveau_bound_test
