#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_ecc_test {

namespace {

constexpr const char* id = "hardware.ecc";

std::string state(const Snapshot& snapshot) { return state_of("hardware.ecc", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("hardware.ecc", snapshot); }

Snapshot with_ecc(std::int64_t uncorrected, bool pending, bool broken) {
  Snapshot host = healthy_nvidia_host();
  Ecc ecc;
  ecc.enabled = true;
  ecc.corrected = 3;
  ecc.uncorrected = uncorrected;
  ecc.remap_pending = pending;
  ecc.remap_failed = broken;
  host.nvidia.fill().devices.fill().front().ecc = ecc;
  return host;
}

TEST(HardwareEcc, IsFoundWithUncorrectedErrors) {
  const Answers answers = answers_for(with_ecc(2, false, false));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/nvidia/devices/0/ecc/uncorrected"});
}

TEST(HardwareEcc, IsFoundWhereAReplacementFailed) { EXPECT_EQ(state(with_ecc(0, false, true)), "failed"); }

TEST(HardwareEcc, SaysNothingOfAReplacementThatWaits) { EXPECT_EQ(state(with_ecc(0, true, false)), "passed"); }

TEST(HardwareEcc, IsSoundWithCorrectedErrorsOnly) { EXPECT_EQ(state(with_ecc(0, false, false)), "passed"); }

TEST(HardwareEcc, TakesTheKernelLogsWordForLikely) {
  Snapshot host = with_ecc(0, false, false);
  host.nvidia.fill().xid = std::vector<Xid>{{.code = 48, .gpu = "0000:65:00"}};
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_EQ(paths_of(*finding_of(answers, id)), std::vector<std::string>{"/nvidia/xid/0"});
}

TEST(HardwareEcc, IsSoundForAGpuWithoutEcc) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().devices.fill().front().ecc = absent("the GPU has no ECC");
  EXPECT_EQ(state(host), "passed");
}

TEST(HardwareEcc, IsUnknownWhereNobodyCounted) {
  EXPECT_EQ(state(healthy_nvidia_host()), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(HardwareEcc, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

TEST(HardwareEcc, TakesAnXidOfTheKernelAndOfALogForOne) {
  Snapshot report;
  report.nvidia.fill().xid = std::vector<Xid>{{.code = 48, .gpu = "0000:65:00.0"}};
  report.log = std::vector<Symptom>{
      symptom_of({SymptomClass::noted, "xid"}, {{"code", "48"}, {"gpu", "0000:65:00"}}, "dmesg.txt"),
      symptom_of({SymptomClass::noted, "xid"}, {{"code", "31"}, {"gpu", "0000:65:00"}}, "dmesg.txt")};
  const Answers answers = answers_of("hardware.ecc", report);
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings[0].subject, "gpu:0000:65:00.0");
  EXPECT_EQ(paths_of(answers.findings[0]), (std::vector<std::string>{"/nvidia/xid/0", "log"}));
}

}  // namespace
}  // namespace envdoctor::hardware_ecc_test
