#include "checks/engine/causality.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "checks/engine/diagnosis.h"

namespace envdoctor::engine_causality_test {
namespace {

Finding finding(std::string id, Confidence confidence = Confidence::certain, std::string subject = "host") {
  return {.id = std::move(id), .subject = std::move(subject), .confidence = confidence};
}

const Finding& named(const std::vector<Finding>& findings, const std::string& id) {
  for (const Finding& f : findings) {
    if (f.id == id) return f;
  }
  throw std::logic_error(id);
}

// A circle of causes would leave a report without any root.
TEST(Explains, HasNoCircle) {
  std::map<std::string, std::vector<std::string>> next;
  for (const Diagnosis& row : roster()) {
    for (const char* consequence : row.explains) next[row.id].emplace_back(consequence);
  }
  for (const auto& [start, unused] : next) {
    std::set<std::string> seen;
    std::vector<std::string> open = next[start];
    while (!open.empty()) {
      const std::string id = open.back();
      open.pop_back();
      ASSERT_NE(id, start) << "in a circle";
      if (seen.insert(id).second && next.contains(id)) open.insert(open.end(), next[id].begin(), next[id].end());
    }
  }
}

TEST(Roots, AMismatchExplainsTheFailedInitAndTheEmptyPlatform) {
  std::vector<Finding> findings = {finding("driver.init-failed"), finding("driver.version-mismatch"),
                                   finding("opencl.icd-no-device")};
  find_roots(findings);
  EXPECT_TRUE(named(findings, "driver.version-mismatch").root);
  EXPECT_FALSE(named(findings, "opencl.icd-no-device").root);
  EXPECT_EQ(named(findings, "driver.init-failed").caused_by, std::vector<std::string>{"driver.version-mismatch"});
}

TEST(Roots, AGuessDoesNotExplainAwayWhatIsCertain) {
  std::vector<Finding> findings = {finding("driver.not-installed", Confidence::possible),
                                   finding("driver.libcuda-missing", Confidence::certain)};
  find_roots(findings);
  EXPECT_TRUE(named(findings, "driver.libcuda-missing").root);
}

TEST(Roots, OneLostGpuDoesNotExplainAnother) {
  std::vector<Finding> findings = {finding("driver.gpu-lost", Confidence::certain, "gpu:0000:01:00.0"),
                                   finding("driver.gpu-init-failed", Confidence::certain, "gpu:0000:02:00.0")};
  find_roots(findings);
  EXPECT_TRUE(named(findings, "driver.gpu-init-failed").root);
}

}  // namespace
}  // namespace envdoctor::engine_causality_test
