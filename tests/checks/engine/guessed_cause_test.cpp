#include <gtest/gtest.h>

#include "checks/engine/report.h"
#include "tests/support/builders.h"

namespace envdoctor::guessed_cause_test {
namespace {

Snapshot text_like(const std::string& cause) {
  Snapshot report;
  report.log = std::vector<Symptom>{};
  report.texts = std::vector<ReadText>{
      {.source = "job.log",
       .lines = std::int64_t{12},
       .notable = std::vector<TextLine>{{.line = std::int64_t{3}, .text = "RuntimeError: something odd happened"}},
       .resembles = Resembles{.cause = cause, .share = 0.5, .words = std::vector<std::string>{"peer", "ring"}}}};
  return report;
}

Report judged(const Snapshot& snapshot, JudgeOptions options = {}) {
  options.from_files = true;
  return judge(snapshot, options);
}

TEST(GuessedCause, IsAGuessThatLeavesTheCauseUndetermined) {
  const Report report = judged(text_like("runtime.nccl"));
  ASSERT_EQ(report.findings.size(), 1U);
  const Finding& guess = report.findings.front();
  EXPECT_EQ(guess.id, "runtime.nccl");
  EXPECT_EQ(guess.confidence, Confidence::possible);
  EXPECT_EQ(guess.severity, Severity::warning);
  ASSERT_EQ(guess.evidence.size(), 1U);
  EXPECT_EQ(guess.evidence.front().value, "peer, ring");
  EXPECT_TRUE(report.undetermined.has_value());
  EXPECT_EQ(report.verdict, Verdict::incomplete);
}

TEST(GuessedCause, IsNoneWhereWordsAreNotSure) {
  Snapshot report = text_like("runtime.nccl");
  report.texts.get()->front().resembles.get()->share = 0.2;
  EXPECT_TRUE(judged(report).findings.empty());
}

TEST(GuessedCause, GivesWayToWhatARuleFinds) {
  Snapshot report = text_like("runtime.nccl");
  report.log.get()->push_back(
      {.class_ = "exhausted", .subject = "gpu-memory", .source = "job.log", .line = std::int64_t{2}});
  for (const Finding& finding : judged(report).findings) EXPECT_NE(finding.id, "runtime.nccl");
}

TEST(GuessedCause, IsNotWhatACheckExcludes) {
  Snapshot report = text_like("driver.not-installed");
  report.nvidia = Nvidia{.kernel_driver_version = std::string("550.54.14"),
                         .cuda_driver_version = std::string("12.4"),
                         .devices = std::vector<NvidiaDevice>{nvml_a100()}};
  EXPECT_TRUE(judged(report).findings.empty());
}

// Numbers alone can be the report: two results that differ.
TEST(GuessedCause, NeedsNoLineThatComplains) {
  Snapshot report = text_like("compute.wrong-results");
  report.texts.get()->front().notable = std::vector<TextLine>{};
  report.texts.get()->front().resembles.get()->share = 0.7;
  EXPECT_EQ(judged(report).findings.size(), 1U);
  report.texts.get()->front().resembles.get()->share = 0.6;
  EXPECT_TRUE(judged(report).findings.empty()) << "that results are wrong takes more than another cause";
}

TEST(GuessedCause, IsOfAKnownDiagnosisThatWasAskedFor) {
  EXPECT_TRUE(judged(text_like("runtime.no-such-thing")).findings.empty());
  EXPECT_TRUE(judged(text_like("runtime.nccl"), {.skip = {"runtime"}}).findings.empty());
}

Snapshot unreached_like(const std::string& cause, double share) {
  Snapshot report = text_like(cause);
  report.texts.get()->front().resembles.get()->share = share;
  report.log.get()->push_back(
      {.class_ = "missing", .subject = "any-gpu", .source = "job.log", .line = std::int64_t{2}});
  return report;
}

TEST(GuessedCause, StandsBeforeAGroupOfCausesWhereWordsAreSure) {
  const Report report = judged(unreached_like("visibility.container-hidden", 0.6));
  ASSERT_EQ(report.findings.size(), 2U);
  EXPECT_EQ(report.findings[0].id, "visibility.container-hidden");
  EXPECT_TRUE(report.findings[0].root);
  EXPECT_EQ(report.findings[0].confidence, Confidence::possible);
  EXPECT_EQ(report.findings[1].id, "driver.unreachable");
  EXPECT_FALSE(report.findings[1].root);
}

TEST(GuessedCause, LeavesAGroupOfCausesWhereWordsAreNotSure) {
  const Report report = judged(unreached_like("visibility.container-hidden", 0.2));
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "driver.unreachable");
}

TEST(GuessedCause, IsNotTakenFromTextsBesideAHost) {
  Snapshot report = text_like("runtime.nccl");
  report.captured = Captured{};
  EXPECT_TRUE(judged(report).findings.empty());
}

}  // namespace
}  // namespace envdoctor::guessed_cause_test
