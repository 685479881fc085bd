#include "reports/diagnoses.h"

#include <gtest/gtest.h>

#include "checks/check.h"
#include "checks/proofs.h"
#include "reports/reports.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor {
namespace {

TEST(Diagnoses, AreDocumentedAsTheCatalogueHasThem) {
  expect_golden(std::string(source_folder) + "/docs/diagnoses.md", all_diagnoses_markdown());
}

TEST(Diagnoses, SayWhatProofTheyNeed) {
  for (const Diagnosis& row : catalogue())
    EXPECT_FALSE(proof_needed(row.id).empty()) << "add a row to checks/catalogue/proofs.inc: " << row.id;
  EXPECT_TRUE(proof_needed("driver.nothing").empty());
}

TEST(Explanation, HoldsClaimProofDisproofConsequencesAndFix) {
  const std::string text = render_explanation(*diagnosis("driver.version-mismatch"));
  for (const char* part : {"claim", "proof", "disproof", "explains", "driver.init-failed", "fix"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_NE(render_explanation(*diagnosis("opencl.no-platform")).find("explained by"), std::string::npos);
}

}  // namespace
}  // namespace envdoctor
