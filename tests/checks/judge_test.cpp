#include <gmock/gmock.h>

#include "checks/report.h"
#include "checks/verdict.h"
#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace envdoctor {
namespace {

TEST(Verdict, OfAHealthyHostIsPass) {
  const Report report = judge(example("healthy"), {});
  EXPECT_EQ(report.verdict, Verdict::pass) << report.verdict_why;
  for (const Finding& finding : report.findings) EXPECT_EQ(finding.severity, Severity::info) << finding.id;
}

TEST(Verdict, OfAHostWithoutAnyGpuIsFailUnlessItShouldHaveNone) {
  const Report report = judge(example("no-gpu"), {});
  EXPECT_EQ(report.verdict, Verdict::fail);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().id, "hardware.no-gpu");
  EXPECT_EQ(judge(example("no-gpu"), {.expectations = {.wanted = {{"gpus", "0"}}}}).verdict, Verdict::pass);
}

TEST(Verdict, OfAnEmptySnapshotIsIncompleteNotHealthy) {
  const Report report = judge({}, {});
  EXPECT_EQ(report.verdict, Verdict::incomplete);
  EXPECT_THAT(report.findings, testing::IsEmpty());
}

TEST(Verdict, FailsWhereFewerGpusAreThereThanExpected) {
  const Report report = judge(example("healthy"), {.expectations = {.wanted = {{"gpus", "8"}}}});
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_EQ(report.findings.front().id, "expect.gpus");
  EXPECT_EQ(judge(example("healthy"), {.expectations = {.wanted = {{"gpus", "1"}}}}).verdict, Verdict::pass);
}

TEST(Judge, OneRootWithItsConsequencesFolded) {
  const Report report = judge(example("one-root-two-consequences"), {});
  EXPECT_EQ(report.verdict, Verdict::fail);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings.front().id, "driver.version-mismatch");
  for (const Finding& finding : report.findings)
    EXPECT_EQ(finding.root, finding.id == "driver.version-mismatch") << finding.id;
}

TEST(Judge, IsAPureFunction) {
  const Snapshot snapshot = example("one-root-two-consequences");
  EXPECT_EQ(judge(snapshot, {}).findings, judge(snapshot, {}).findings);
}

TEST(Judge, LeavesOutWhatIsSkipped) {
  const Report report = judge(example("no-gpu"), {.skip = {"hardware"}});
  for (const Finding& finding : report.findings)
    EXPECT_THAT(finding.id, testing::Not(testing::StartsWith("hardware.")));
}

TEST(Judge, LetsAMessageSpeakOfWhatACheckNames) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.env.fill()["TF_USE_LEGACY_KERAS"] = std::string("1");
  snapshot.tensorflow.fill().version = "2.16.1";
  snapshot.python.fill().packages = std::map<std::string, std::string>{{"tensorflow", "2.16.1"}};
  snapshot.keras.fill().version = "3.3.3";
  snapshot.keras.fill().tf_keras_version = absent("tf-keras is not installed");
  const auto told = [&] {
    std::vector<Finding> found;
    for (const Finding& finding : judge(snapshot, {}).findings) {
      if (finding.id == "keras.legacy-missing") found.push_back(finding);
    }
    return found;
  };
  ASSERT_EQ(told().size(), 1U);
  const std::string subject = told().front().subject;
  EXPECT_NE(subject, "host");
  snapshot.log.fill().push_back(log_event("keras-legacy-missing", {}, "train.log"));
  ASSERT_EQ(told().size(), 1U) << "the message is about the same package";
  EXPECT_EQ(told().front().subject, subject);
  EXPECT_EQ(told().front().evidence.back().path, "log");
  snapshot.env.get()->clear();
  ASSERT_EQ(told().size(), 1U) << "alone the message is believed as well";
  EXPECT_EQ(told().front().subject, "host");
}

TEST(Judge, SortsTheSurerRootFirst) {
  const Report report = judge(example("one-root-two-consequences"), {.expectations = {.wanted = {{"gpus", "2"}}}});
  EXPECT_TRUE(report.findings.front().root);
}

TEST(Soften, AnErrorBesideAWorkingStackBecomesAWarning) {
  const Snapshot snapshot = example("healthy");
  const auto gpus = gpus_of(snapshot);
  Ladder cuda{.subject = gpus[0].subject(), .stack = "cuda"}, opencl{.subject = gpus[0].subject(), .stack = "opencl"};
  cuda.rungs = {{Rung::visibility, RungState::holds, ""}, {Rung::runtime, RungState::holds, ""}};
  opencl.rungs = {{Rung::runtime, RungState::broken, "opencl.no-icd"}};
  std::vector<Finding> findings = {{.id = "opencl.no-icd", .severity = Severity::error, .rung = Rung::runtime}};
  soften(findings, {cuda, opencl}, gpus, snapshot);
  EXPECT_EQ(findings[0].severity, Severity::warning);

  cuda.rungs[1].state = RungState::unknown;  // nothing proves that the other stack works
  findings[0].severity = Severity::error;
  soften(findings, {cuda, opencl}, gpus, snapshot);
  EXPECT_EQ(findings[0].severity, Severity::error);
}

TEST(Soften, OpenclIsNotTheMatterWhereTheDriverIs) {
  std::vector<Finding> findings = {{.id = "opencl.loader-missing"}, {.id = "driver.permission"}};
  soften(findings, {}, {}, {});
  EXPECT_EQ(findings[0].severity, Severity::warning);
  EXPECT_EQ(findings[1].severity, Severity::error);
}

}  // namespace
}  // namespace envdoctor
