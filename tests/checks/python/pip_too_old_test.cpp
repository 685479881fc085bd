#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::python_pip_too_old_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "python.pip-too-old";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Symptom pip(const char* version) { return symptom_of({noted, "pip-version"}, {{"version", version}}); }
const Symptom none = symptom_of({missing, "package-version"}, {{"requirement", "tensorflow"}});

TEST(PythonPipTooOld, IsLikelyBelow19AndAGuessBelow20) {
  EXPECT_EQ(finding_of(answers_of(id, with({pip("18.1"), none})), id)->confidence, Confidence::likely);
  EXPECT_EQ(finding_of(answers_of(id, with({pip("20.0.2"), none})), id)->confidence, Confidence::possible);
  EXPECT_EQ(state_of(id, with({pip("24.0"), none})), "passed");
}

TEST(PythonPipTooOld, NeedsAWheelThatWasNotFound) {
  EXPECT_EQ(state_of(id, with({pip("18.1")})), "not-applicable");
  EXPECT_EQ(state_of(id, with({pip("18.1"), none, symptom_of({unsupported, "python-version"})})), "not-applicable");
  EXPECT_EQ(state_of(id, with({none})), "unknown");
}

}  // namespace
}  // namespace envdoctor::python_pip_too_old_test
