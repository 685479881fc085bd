#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_pcie_error_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "hardware.pcie-error";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(HardwarePcieError, IsLikelyWhereTheLineNamesTheGpusDriver) {
  const Symptom line = symptom_of({failed, "pcie-device"}, {{"driver", "nvidia"}, {"kind", "Fatal"}});
  const Answers answers = answers_of(id, with({line}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(HardwarePcieError, IsAGuessAtAPortThatMayServeAnotherCard) {
  for (const char* kind : {"Fatal", "Non-Fatal"}) {
    const Answers answers =
        answers_of(id, with({symptom_of({failed, "pcie-device"}, {{"driver", "pcieport"}, {"kind", kind}})}));
    ASSERT_NE(finding_of(answers, id), nullptr);
    EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible) << kind;
  }
}

TEST(HardwarePcieError, OnlyWarnsWhereTheLinkCorrectedIt) {
  const Snapshot corrected = with({symptom_of({failed, "pcie-link"}, {{"severity", "Corrected"}})});
  const Answers answers = answers_of(id, corrected);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
  EXPECT_NE(state_of("hardware.pcie-degraded", corrected), "failed") << "nothing is said of lanes";
}

}  // namespace
}  // namespace envdoctor::hardware_pcie_error_test
