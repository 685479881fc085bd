#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_row_remap_pending_test {
namespace {

constexpr const char* id = "hardware.row-remap-pending";

Snapshot with_ecc(std::int64_t uncorrected, Flag pending) {
  Snapshot host = healthy_nvidia_host();
  Ecc ecc{
      .enabled = true, .corrected = 41, .uncorrected = uncorrected, .remap_pending = pending, .remap_failed = false};
  host.nvidia.fill().devices.fill().front().ecc = ecc;
  return host;
}

TEST(HardwareRowRemapPending, IsAWarningAndNoUncorrectableError) {
  const Answers answers = answers_of_all({id, "hardware.ecc"}, with_ecc(0, true));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_EQ(paths_of(*finding),
            (std::vector<std::string>{"/nvidia/devices/0/ecc/remap_pending", "/nvidia/devices/0/ecc/corrected"}));
  EXPECT_EQ(finding_of(answers, "hardware.ecc"), nullptr);
}

TEST(HardwareRowRemapPending, GivesWayToErrorsThatWereNotCorrected) {
  const Answers answers = answers_of_all({id, "hardware.ecc"}, with_ecc(2, true));
  EXPECT_EQ(finding_of(answers, id), nullptr);
  EXPECT_NE(finding_of(answers, "hardware.ecc"), nullptr);
}

TEST(HardwareRowRemapPending, IsPassedWhereNothingWaits) {
  EXPECT_EQ(state_of(id, with_ecc(0, false)), "passed");
  EXPECT_EQ(state_of(id, with_ecc(0, {})), "unknown");
  EXPECT_EQ(state_of(id, plain_host()), "not-applicable");
}

TEST(HardwareRowRemapPending, IsReadFromALineOfALog) {
  Snapshot report;
  report.log = std::vector<Symptom>{symptom_of({SymptomClass::present, "row-remap-pending"}, {}, "smi.txt")};
  EXPECT_EQ(state_of(id, report), "failed");
  report.log.fill().push_back(symptom_of({SymptomClass::failed, "gpu-memory-ecc"}, {}, "smi.txt"));
  EXPECT_NE(state_of(id, report), "failed");
}

}  // namespace
}  // namespace envdoctor::hardware_row_remap_pending_test
