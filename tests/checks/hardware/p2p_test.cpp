#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_p2p_test {
namespace {

TEST(HardwareP2p, IsLikelyWhereTheDirectWayIsTheSlowerOne) {
  Snapshot report;
  report.log = std::vector<Symptom>{symptom_of({SymptomClass::slow, "peer-copy"}, {{"with_gbps", "0.80"}}, "p2p.txt")};
  const Answers answers = answers_of("hardware.p2p", report);
  ASSERT_NE(finding_of(answers, "hardware.p2p"), nullptr);
  EXPECT_EQ(finding_of(answers, "hardware.p2p")->confidence, Confidence::likely);
}

}  // namespace
}  // namespace envdoctor::hardware_p2p_test
