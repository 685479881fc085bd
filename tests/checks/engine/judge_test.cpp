#include <gmock/gmock.h>

#include "checks/engine/report.h"
#include "checks/engine/verdict.h"
#include "tests/support/builders.h"
#include "tests/support/examples.h"

namespace envdoctor::engine_judge_test {

using enum SymptomClass;
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
  const auto legacy_missing = [&] {
    std::vector<Finding> found;
    for (const Finding& finding : judge(snapshot, {}).findings) {
      if (finding.id == "keras.legacy-missing") found.push_back(finding);
    }
    return found;
  };
  ASSERT_EQ(legacy_missing().size(), 1U);
  const std::string subject = legacy_missing().front().subject;
  EXPECT_NE(subject, "host");
  snapshot.log.fill().push_back(symptom_of({missing, "keras-2"}, {}, "train.log"));
  ASSERT_EQ(legacy_missing().size(), 1U) << "the message is about the same package";
  EXPECT_EQ(legacy_missing().front().subject, subject);
  EXPECT_EQ(legacy_missing().front().evidence.back().path, "log");
  snapshot.env.get()->clear();
  ASSERT_EQ(legacy_missing().size(), 1U) << "alone the message is believed as well";
  EXPECT_EQ(legacy_missing().front().subject, "host");
}

TEST(Judge, SortsTheSurerRootFirst) {
  const Report report = judge(example("one-root-two-consequences"), {.expectations = {.wanted = {{"gpus", "2"}}}});
  EXPECT_TRUE(report.findings.front().root);
}

TEST(DowngradeSeverity, AnErrorBesideAWorkingStackBecomesAWarning) {
  const Snapshot snapshot = example("healthy");
  const auto gpus = gpus_of(snapshot);
  GpuStack cuda{.subject = gpus[0].subject(), .stack = "cuda"}, opencl{.subject = gpus[0].subject(), .stack = "opencl"};
  cuda.layers = {{Layer::visibility, LayerState::ok, ""}, {Layer::runtime, LayerState::ok, ""}};
  opencl.layers = {{Layer::runtime, LayerState::broken, "opencl.no-icd"}};
  std::vector<Finding> findings = {{.id = "opencl.no-icd", .severity = Severity::error, .layer = Layer::runtime}};
  downgrade_severity(findings, {cuda, opencl}, gpus, snapshot);
  EXPECT_EQ(findings[0].severity, Severity::warning);

  cuda.layers[1].state = LayerState::unknown;  // nothing proves that the other stack works
  findings[0].severity = Severity::error;
  downgrade_severity(findings, {cuda, opencl}, gpus, snapshot);
  EXPECT_EQ(findings[0].severity, Severity::error);
}

TEST(DowngradeSeverity, OpenclIsNotTheMatterWhereTheDriverIs) {
  std::vector<Finding> findings = {{.id = "opencl.loader-missing"}, {.id = "driver.permission"}};
  downgrade_severity(findings, {}, {}, {});
  EXPECT_EQ(findings[0].severity, Severity::warning);
  EXPECT_EQ(findings[1].severity, Severity::error);
}

// "failed call to cuInit: CUDA_ERROR_UNKNOWN" is a failed start and a code: two symptoms of one line.
TEST(Judge, ShowsALineOnceThatIsASymptomTwice) {
  Snapshot snapshot;
  snapshot.log =
      std::vector<Symptom>{symptom_of({SymptomClass::failed, "cuinit"}, {{"code", "CUDA_ERROR_UNKNOWN"}}, "train.log"),
                           symptom_of({SymptomClass::failed, "cuda"}, {{"code", "CUDA_ERROR_UNKNOWN"}}, "train.log")};
  const Report report = judge(snapshot, {});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "driver.init-failed");
  EXPECT_EQ(report.findings[0].evidence.size(), 1U);
}

}  // namespace
}  // namespace envdoctor::engine_judge_test
