#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_pcie_atomics_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "hardware.pcie-atomics";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(HardwarePcieAtomics, AreLikelyMissingWhereTheKernelSkipsTheGpu) {
  const Symptom skipped = symptom_of({refused, "pcie-atomics"}, {{"device", "1002:67df"}});
  const Answers answers = answers_of(id, with({skipped}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_EQ(state_of(id, with({skipped, symptom_of({used, "gpu"})})), "nothing") << "it works all the same";
}

TEST(HardwarePcieAtomics, AreAGuessByTheKernelsNoteAlone) {
  const Answers answers = answers_of(id, with({symptom_of({refused, "pcie-atomics"})}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

}  // namespace
}  // namespace envdoctor::hardware_pcie_atomics_test
