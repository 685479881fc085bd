#include "checks/expect/expectations.h"

#include <gmock/gmock.h>

#include "checks/engine/report.h"
#include "checks/engine/verdict.h"
#include "tests/support/builders.h"

namespace envdoctor::expectations_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Report judged(const Snapshot& snapshot, std::vector<Expectation> wanted) {
  return judge(snapshot, {.expectations = {.wanted = std::move(wanted)}});
}

// yes, no or unknown; the last where the finding is a guess, as it must be.
std::string met(const Snapshot& snapshot, const std::string& text) {
  const Report report = judged(snapshot, {read_expectation(text)});
  const auto found =
      std::ranges::find_if(report.findings, [](const Finding& f) { return f.id.starts_with("expect."); });
  if (found == report.findings.end()) return "yes";
  EXPECT_EQ(found->severity, Severity::error);
  EXPECT_THAT(found->explanation, testing::Not(IsEmpty()));
  EXPECT_EQ(report.verdict, Verdict::fail);
  return found->confidence == Confidence::possible ? "unknown" : "no";
}

Snapshot host_with_framework() {
  Snapshot host = healthy_nvidia_host();
  host.torch.fill().version = "2.5.1";
  host.torch.fill().cuda_available = true;
  host.python.fill().version = "3.11.4";
  host.python.fill().packages = std::map<std::string, std::string>{{"torch", "2.5.1"}};
  return host;
}

ComputeResult triad(double share, const char* outcome, const char* device = "cuda:0") {
  ComputeResult result;
  result.device = device;
  result.kernel = "triad";
  result.precision = "fp32";
  result.agreement.fill().outcome = outcome;
  result.rate.fill().value = 1200.0;
  result.rate.fill().unit = "GB/s";
  result.share_of_peak = share;
  return result;
}

struct Case {
  const char* expectation;
  const char* broken;
};

TEST(Expectations, AreMetBrokenOrNotKnown) {
  const Snapshot host = host_with_framework();
  const Case cases[] = {{"gpus=1", "gpus=8"},
                        {"gpu=A100", "gpu=H100"},
                        {"driver.min=550", "driver.min=560"},
                        {"driver=550", "driver=550.54.15"},
                        {"driver.max=550", "driver.max=549"},
                        {"cuda.min=12.4", "cuda.min=12.5"},
                        {"memory.min=40GiB", "memory.min=41GiB"},
                        {"framework=torch", "framework=jax"},
                        {"torch.min=2.5", "torch.min=2.6"},
                        {"python=3.11", "python=3.1"},
                        {"python.min=3.9", "python.min=3.12"}};
  for (const auto& [expectation, broken] : cases) {
    EXPECT_EQ(met(host, expectation), "yes") << expectation;
    EXPECT_EQ(met(host, broken), "no") << broken;
    EXPECT_EQ(met({}, expectation), "unknown") << expectation << " with nothing looked at";
  }
  EXPECT_EQ(met(host, "link.width.min=16"), "unknown");
}

TEST(Expectations, AModelIsAWordOfTheName) {
  EXPECT_EQ(met(healthy_nvidia_host(), "gpu=A10"), "no");
  EXPECT_EQ(met(healthy_nvidia_host(), "gpu=a100"), "yes");
}

TEST(Expectations, AbsentSoftwareIsNotMetForSure) {
  const Snapshot host = plain_host();
  EXPECT_EQ(met(host, "driver.min=550"), "no");
  EXPECT_EQ(met(host, "gpus=1"), "no");
}

TEST(Expectations, OfComputeRestOnWhatWasCompared) {
  Snapshot host = healthy_nvidia_host();
  EXPECT_EQ(met(host, "compute=agree"), "unknown");
  host.compute = std::vector<ComputeResult>{triad(0.9, "within-bound")};
  EXPECT_EQ(met(host, "compute=agree"), "yes");
  host.compute = std::vector<ComputeResult>{triad(0.9, "within-bound"), triad(0.9, "outside")};
  EXPECT_EQ(met(host, "compute=agree"), "no");
  // Arithmetic that differs from the CPU's is a warning, but no agreement.
  host.compute = std::vector<ComputeResult>{triad(0.9, "within-bound"), triad(0.9, "outside")};
  host.compute.fill()[1].agreement.fill().cause = "fast-math";
  EXPECT_EQ(met(host, "compute=agree"), "no");
  host.compute = std::vector<ComputeResult>{triad(0.9, "not-trustworthy")};
  EXPECT_EQ(met(host, "compute=agree"), "unknown");
  host.compute = std::vector<ComputeResult>{triad(0.9, "same-bits")};
  host.compute.fill()[0].device = "host";
  EXPECT_EQ(met(host, "compute=agree"), "unknown") << "the host's own processor is no GPU";
}

TEST(Expectations, OfSpeedAreTheSlowestGpus) {
  Snapshot host = healthy_nvidia_host();
  EXPECT_EQ(met(host, "triad.min=0.8peak"), "unknown");
  host.compute = std::vector<ComputeResult>{triad(0.9, "same-bits"), triad(0.7, "same-bits", "cuda:1")};
  EXPECT_EQ(met(host, "triad.min=0.8peak"), "no");
  EXPECT_EQ(met(host, "triad.min=0.7peak"), "yes");
  EXPECT_EQ(met(host, "triad.min=1.1TB/s"), "yes");
  EXPECT_EQ(met(host, "triad.min=1300 GB/s"), "no");
  EXPECT_EQ(met(host, "gemm.min=1GFLOP/s"), "unknown");
}

TEST(Expectations, OfSpeedLookAtEachGpusBestSizeAndNotAtCopies) {
  Snapshot host = healthy_nvidia_host();
  host.compute = std::vector<ComputeResult>{triad(0.1, "same-bits"), triad(0.9, "same-bits"), triad(0.2, "same-bits")};
  EXPECT_EQ(met(host, "triad.min=0.8peak"), "yes");
  host.compute.fill()[1].variant = "gpu, with copies";
  EXPECT_EQ(met(host, "triad.min=0.8peak"), "no");
}

ComputeNotRun left_out(const char* device, const char* why) {
  ComputeNotRun row;
  row.device = device;
  row.kernel = "triad";
  row.why = why;
  return row;
}

TEST(Expectations, WhatAGpuDidNotRunToItsEndIsNotMet) {
  Snapshot host = healthy_nvidia_host();
  host.compute = std::vector<ComputeResult>{triad(0.9, "same-bits")};
  host.compute_not_run = std::vector<ComputeNotRun>{left_out("cuda:1", "crash: signal 11")};
  EXPECT_EQ(met(host, "compute=agree"), "unknown");
  EXPECT_EQ(met(host, "triad.min=0.8peak"), "unknown");
  host.compute_not_run = std::vector<ComputeNotRun>{left_out("cuda:0", "missing: the device has no fp16"),
                                                    left_out("framework:torch/cpu", "crash: signal 11")};
  EXPECT_EQ(met(host, "compute=agree"), "yes");
  EXPECT_EQ(met(host, "triad.min=0.8peak"), "yes");
}

TEST(Expectations, OfAgreementSeeWhatIsWrongBehindWhatIsDoubtful) {
  Snapshot host = healthy_nvidia_host();
  host.compute = std::vector<ComputeResult>{triad(0.9, "not-trustworthy"), triad(0.9, "outside")};
  EXPECT_EQ(met(host, "compute=agree"), "no");
}

TEST(Expectations, AFrameworksCpuIsNoGpu) {
  Snapshot host = healthy_nvidia_host();
  for (const char* device : {"framework:torch/cpu", "framework:tensorflow/CPU:0", "framework:jax/cpu:0"}) {
    host.compute = std::vector<ComputeResult>{triad(0.9, "same-bits", device)};
    EXPECT_EQ(met(host, "compute=agree"), "unknown") << device;
    EXPECT_EQ(met(host, "triad.min=0.8peak"), "unknown") << device;
  }
  host.compute = std::vector<ComputeResult>{triad(0.9, "same-bits", "framework:torch/cuda:0")};
  EXPECT_EQ(met(host, "compute=agree"), "yes");
}

TEST(Expectations, WhatIsLearnedIsMet) {
  for (const Snapshot& host : {healthy_nvidia_host(), host_with_framework(), plain_host()}) {
    const std::string learned = learn_expectations(judge(host, {}));
    const Report report = judge(host, {.expectations = read_expectations(learned, "learned.toml")});
    for (const Finding& finding : report.findings)
      EXPECT_FALSE(finding.id.starts_with("expect.")) << finding.explanation;
  }
  EXPECT_THAT(learn_expectations(judge(host_with_framework(), {})), HasSubstr("gpus = 1"));
  EXPECT_THROW(read_expectations(learn_expectations(judge(Snapshot{}, {})), "learned.toml"), BadExpectation);
}

TEST(Expectations, AreFoundAgainInWhatWasLearnedOfAnotherHost) {
  const std::string learned = learn_expectations(judge(host_with_framework(), {}));
  const Report report = judge(plain_host(), {.expectations = read_expectations(learned, "learned.toml")});
  EXPECT_TRUE(std::ranges::any_of(report.findings, [](const Finding& f) { return f.id == "expect.gpus"; }));
}

TEST(Expectations, OfUseAreExplainedByWhatPreventsIt) {
  const Report report = judged(plain_host(), {read_expectation("framework=torch"), read_expectation("gpus=1"),
                                              read_expectation("gpu=H100"), read_expectation("driver.min=550")});
  ASSERT_GE(report.findings.size(), 5U);
  EXPECT_EQ(report.findings.front().id, "hardware.no-gpu");
  for (const Finding& finding : report.findings) EXPECT_EQ(finding.root, finding.id == "hardware.no-gpu") << finding.id;
}

std::string complaint(const std::string& toml) {
  try {
    read_expectations(toml, "host.toml");
  } catch (const BadExpectation& error) {
    return error.what();
  }
  return "taken";
}

TEST(ExpectationFile, SaysWhereItIsWrong) {
  EXPECT_THAT(complaint("gpus = 1\ndriver = 550.54\n"), HasSubstr("host.toml:2: driver: a text or a whole number"));
  EXPECT_THAT(complaint("gpus = 1\n\ngpu = [\n"), HasSubstr("host.toml:"));
  EXPECT_THAT(complaint("gpsu = 1\n"), HasSubstr("host.toml:1: gpsu: nothing that can be expected"));
  EXPECT_THAT(complaint("gpus = -1\n"), HasSubstr("a number of GPUs"));
  for (const char* header : {"[\n", "[[ \n", "[=1]\n", " [.a]\n"})
    EXPECT_THAT(complaint("gpus = 1\n" + std::string(header)),
                HasSubstr("host.toml:2: a table's name expected after '['"))
        << header;
  EXPECT_THAT(complaint("gpus = 99999999999999999999\n"), HasSubstr("host.toml:1"));
  EXPECT_THAT(complaint("gpu = \"\xff\"\n"), HasSubstr("host.toml:1"));
  EXPECT_THAT(complaint("[driver]\nmin = [\"550\"]\n"), HasSubstr("host.toml:2: driver.min"));
  EXPECT_THAT(complaint(std::string(2 << 20, ' ')), HasSubstr("larger than"));
  EXPECT_THAT(complaint("gpu = " + std::string(100000, '[') + "\n"), HasSubstr("host.toml:1"));
}

TEST(ExpectationFile, ThatAsksNothingIsNoExpectation) {
  for (const char* text : {"", "\n\n", "# gpus = 8\n", "[gpu]\n"})
    EXPECT_THAT(complaint(text), HasSubstr("host.toml: asks nothing")) << text;
}

constexpr const char* waiver =
    "[[waiver]]\nid = \"hardware.no-gpu\"\nsubject = \"host\"\nreason = \"the card is away\"\nlast_day = 2026-12-31\n";

TEST(ExpectationFile, AWaiverNeedsAReasonAndALastDay) {
  EXPECT_EQ(complaint(waiver), "taken");
  EXPECT_THAT(complaint("[[waiver]]\nid = \"hardware.no-gpu\"\nlast_day = 2026-12-31\n"), HasSubstr("without reason"));
  EXPECT_THAT(complaint("[[waiver]]\nid = \"hardware.no-gpu\"\nreason = \"x\"\n"), HasSubstr("without last_day"));
  EXPECT_THAT(complaint("[[waiver]]\nid = \"hardware.no-gpu\"\nreason = \" \"\nlast_day = 2026-12-31\n"),
              HasSubstr("reason: a text"));
  EXPECT_THAT(complaint("[[waiver]]\nid = \"hardware.nothing\"\nreason = \"x\"\nlast_day = 2026-12-31\n"),
              HasSubstr("host.toml:2: hardware.nothing: no such diagnosis"));
  EXPECT_THAT(complaint("[[waiver]]\nid = \"hardware.no-gpu\"\nreason = \"x\"\nlast_day = \"soon\"\n"),
              HasSubstr("host.toml:4"));
  EXPECT_THAT(complaint("waiver = 7\n"), HasSubstr("host.toml:1"));
}

Report waived_on(const char* day) {
  Snapshot host = plain_host();
  if (day) host.captured.fill().at = std::string(day);
  return judge(host, {.expectations = read_expectations(waiver, "host.toml")});
}

bool has(const Report& report, std::string_view id) {
  return std::ranges::find(report.findings, id, &Finding::id) != report.findings.end();
}

TEST(Waiver, HoldsThroughItsLastDayAndStaysVisible) {
  const Report report = waived_on("2026-12-31T23:59:59Z");
  EXPECT_FALSE(has(report, "hardware.no-gpu"));
  ASSERT_EQ(report.waived.size(), 1U);
  EXPECT_EQ(report.waived[0].finding.id, "hardware.no-gpu");
  EXPECT_EQ(report.waived[0].waiver.reason, "the card is away");
  EXPECT_NE(report.verdict, Verdict::pass) << "nothing proves that a GPU will be used";
}

TEST(Waiver, IsAFindingOnceItIsOver) {
  const Report report = waived_on("2027-01-01T00:00:00Z");
  EXPECT_TRUE(has(report, "hardware.no-gpu"));
  EXPECT_TRUE(has(report, "expect.waiver-expired"));
  EXPECT_THAT(report.waived, IsEmpty());
}

TEST(Waiver, DoesNotHoldWhereTheDayIsNotKnown) {
  for (const char* day : {static_cast<const char*>(nullptr), "yesterday, perhaps"}) {
    const Report report = waived_on(day);
    EXPECT_TRUE(has(report, "hardware.no-gpu"));
    EXPECT_TRUE(has(report, "expect.waiver-expired"));
  }
}

TEST(Waiver, OfAnotherSubjectChangesNothing) {
  Snapshot host = plain_host();
  host.captured.fill().at = "2026-11-21T10:00:00Z";
  Expectations expectations = read_expectations(waiver, "host.toml");
  expectations.waivers[0].subject = "gpu:0000:65:00.0";
  EXPECT_TRUE(has(judge(host, {.expectations = expectations}), "hardware.no-gpu"));
}

}  // namespace
}  // namespace envdoctor::expectations_test
