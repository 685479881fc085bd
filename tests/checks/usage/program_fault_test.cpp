#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::usage_program_fault_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "usage.program-fault";

Snapshot with(std::vector<Symptom> lines) {
  Snapshot report;
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  report.log = std::move(lines);
  return report;
}

Symptom xid(const char* code) { return symptom_of({noted, "xid"}, {{"code", code}, {"gpu", "0000:65:00"}}); }

TEST(UsageProgramFault, IsPossibleByTheProgramsWordAlone) {
  for (const Symptom& line :
       {symptom_of({crashed, "cuda-kernel"}), symptom_of({failed, "cuda-call"}, {{"code", "700"}}),
        symptom_of({failed, "cuda-call"}, {{"code", "CUDA_ERROR_LAUNCH_FAILED"}})}) {
    const Answers answers = answers_of(id, with({line}));
    ASSERT_NE(finding_of(answers, id), nullptr) << *line.subject.get();
    EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
  }
}

TEST(UsageProgramFault, IsLikelyWhereTheKernelLogsAFaultOfAProgram) {
  const Answers answers = answers_of(id, with({symptom_of({crashed, "cuda-kernel"}), xid("31")}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_EQ(finding_of(answers, id)->evidence.size(), 2U);
}

TEST(UsageProgramFault, IsNoneWhereTheGpuItselfFailed) {
  for (const char* code : {"48", "79", "94"})
    EXPECT_EQ(state_of(id, with({symptom_of({crashed, "cuda-kernel"}), xid(code)})), "not-applicable") << code;
  EXPECT_EQ(state_of(id, with({symptom_of({crashed, "cuda-kernel"}), symptom_of({lost, "gpu"})})), "not-applicable");
  EXPECT_EQ(state_of("hardware.ecc", with({symptom_of({crashed, "cuda-kernel"}), xid("48")})), "failed");
}

TEST(UsageProgramFault, IsNotAskedOfOtherErrors) {
  EXPECT_EQ(state_of(id, with({symptom_of({failed, "cuda-call"}, {{"code", "999"}})})), "not-applicable");
  EXPECT_EQ(state_of(id, healthy_nvidia_host()), "not-applicable");
}

}  // namespace
}  // namespace envdoctor::usage_program_fault_test
