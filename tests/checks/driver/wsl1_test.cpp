#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_wsl1_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.wsl1";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(DriverWsl1, IsCertainByTheKernelsRelease) {
  Snapshot report;
  report.host.fill().kernel = "4.4.0-22621-Microsoft";
  const Answers answers = answers_of(id, report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::certain);
  report.host.fill().kernel = "5.15.153.1-microsoft-standard-WSL2";
  EXPECT_EQ(state_of(id, report), "not-applicable");
}

TEST(DriverWsl1, IsNotOverriddenByALineOfWsl2) {
  Snapshot host;
  host.host.fill().platform = "wsl2";
  EXPECT_EQ(state_of(id, with({symptom_of({present, "wsl1"})}, host)), "not-applicable");
  EXPECT_EQ(state_of(id, with({symptom_of({present, "wsl1"})})), "failed");
}

}  // namespace
}  // namespace envdoctor::driver_wsl1_test
