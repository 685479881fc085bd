#include <gtest/gtest.h>

#include "checks/engine/diagnosis.h"
#include "reports/reports.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::diagnoses_test {
namespace {

TEST(Diagnoses, AreDocumentedAsTheCatalogueHasThem) {
  expect_golden(std::string(source_folder) + "/docs/diagnoses.md", all_diagnoses_markdown());
}

TEST(Diagnoses, SayWhatProofTheyNeed) {
  for (const Diagnosis* row : catalogue())
    EXPECT_FALSE(std::string(row->proof).empty()) << "add .proof to the diagnosis " << row->id;
}

TEST(Explanation, HasClaimProofDisproofConsequencesAndFix) {
  const std::string text = render_explanation(*find_diagnosis("driver.version-mismatch"));
  for (const char* part : {"claim", "proof", "disproof", "causes", "driver.init-failed", "fix"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_NE(render_explanation(*find_diagnosis("opencl.no-platform")).find("caused by"), std::string::npos);
}

}  // namespace
}  // namespace envdoctor::diagnoses_test
