// The checks of what devices computed: each sound, found, without results, and unknown.
#include <gtest/gtest.h>

#include "checks/ladder.h"
#include "checks/report.h"
#include "tests/support/builders.h"

namespace envdoctor {

Check compute_denormals();
Check compute_fast_math();
Check compute_fp64_missing();
Check compute_nondeterministic();
Check compute_size_limit();
Check compute_tf32();
Check compute_unstable();
Check compute_wrong_results();
Check hardware_ecc();

namespace {

ComputeResult result(std::string outcome, std::string cause = "", std::string device = "cuda:0") {
  Agreement agreement{.outcome = std::move(outcome), .pattern = "all of it"};
  if (!cause.empty()) agreement.cause = std::move(cause);
  agreement.samples = std::vector<ComputeSample>{{.index = 7, .got = "0x00000000", .expected = "0x3f800000"}};
  return {.device = std::move(device),
          .backend = "cuda",
          .kernel = "gemm",
          .precision = "fp32",
          .size = std::map<std::string, std::int64_t>{{"m", 64}},
          .agreement = agreement,
          .repeatable = true};
}

Snapshot host_with(std::vector<ComputeResult> results) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100()};
  host.compute = std::move(results);
  host.compute_not_run = std::vector<ComputeNotRun>{};
  return host;
}

// One check, its id, and a result that it must find.
struct Subject {
  const char* id;
  Check check;
  ComputeResult broken;
};

std::vector<Subject> subjects() {
  ComputeResult shaky = result("within-bound", "order");
  shaky.repeatable = false;
  ComputeResult limited = result("outside", "size-limit");
  limited.limit = 65535;
  return {{"compute.wrong-results", compute_wrong_results(), result("outside", "unnamed")},
          {"compute.tf32", compute_tf32(), result("outside", "tf32-inputs")},
          {"compute.denormals", compute_denormals(), result("within-bound", "flush-to-zero")},
          {"compute.fast-math", compute_fast_math(), result("outside", "fast-math")},
          {"compute.nondeterministic", compute_nondeterministic(), shaky},
          {"compute.size-limit", compute_size_limit(), limited},
          {"compute.unstable", compute_unstable(), result("outside", "unstable")}};
}

class ComputeCheck : public testing::TestWithParam<std::size_t> {
 protected:
  Subject subject_ = subjects()[GetParam()];
  std::string state(const Snapshot& snapshot) { return state_of(subject_.check, snapshot, subject_.id); }
};

TEST_P(ComputeCheck, FindsItsOwnCauseAndNoOther) {
  for (const Subject& other : subjects()) {
    const bool own = std::string(other.id) == subject_.id;
    EXPECT_EQ(state(host_with({result("same-bits"), other.broken})), own ? "found" : "sound") << other.id;
  }
}

TEST_P(ComputeCheck, IsSoundWhereResultsAgree) {
  EXPECT_EQ(state(host_with({result("same-bits"), result("within-bound")})), "sound");
}

TEST_P(ComputeCheck, IsUnknownWhereNothingWasRunOrCompared) {
  EXPECT_EQ(state(Snapshot{}), "unknown");
  EXPECT_EQ(state(host_with({})), "unknown");
  ComputeResult alone = result("same-bits");
  alone.agreement = failed("the reference could not be computed");
  EXPECT_EQ(state(host_with({alone})), "unknown");
}

TEST_P(ComputeCheck, TellsOneFindingForADeviceAtItsPlaceOnTheBus) {
  const Answers answers = answers_of(subject_.check, host_with({subject_.broken, subject_.broken}));
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings.front().subject, "gpu:0000:65:00.0");
  EXPECT_EQ(answers.findings.front().evidence.front().path, "/compute/0/agreement/outcome");
  EXPECT_FALSE(answers.findings.front().fix.empty());
}

INSTANTIATE_TEST_SUITE_P(Each, ComputeCheck, testing::Range<std::size_t>(0, 7));

Finding found(const Check& check, const Snapshot& snapshot) {
  const Answers answers = answers_of(check, snapshot);
  return answers.findings.empty() ? Finding{} : answers.findings.front();
}

TEST(ComputeTf32, IsInformationOfAFrameworkAndAnErrorOfAPlainKernel) {
  ComputeResult framework = result("outside", "tf32-inputs");
  framework.backend = "framework";
  EXPECT_EQ(found(compute_tf32(), host_with({framework})).severity, Severity::info);
  EXPECT_EQ(found(compute_tf32(), host_with({result("outside", "tf32-inputs")})).severity, Severity::error);
  EXPECT_EQ(found(compute_tf32(), host_with({result("within-bound", "tf32-inputs")})).severity, Severity::warning);
  EXPECT_EQ(found(compute_tf32(), host_with({result("outside", "bf16-inputs")})).title,
            "Float32 products are computed with bf16 inputs");
}

TEST(ComputeSizeLimit, NamesTheLimit) {
  ComputeResult limited = result("outside", "size-limit");
  limited.limit = 65535;
  const Finding finding = found(compute_size_limit(), host_with({limited}));
  EXPECT_NE(finding.explanation.find("right up to 65535"), std::string::npos);
  EXPECT_EQ(paths_of(finding).back(), "/compute/0/limit");
}

TEST(ComputeNondeterministic, WarnsWhereTheOrderIsFixed) {
  ComputeResult shaky = result("within-bound", "nondeterministic");
  shaky.repeatable = false;
  EXPECT_EQ(found(compute_nondeterministic(), host_with({shaky})).severity, Severity::warning);
  shaky.agreement.fill().cause = "order";
  EXPECT_EQ(found(compute_nondeterministic(), host_with({shaky})).severity, Severity::info);
}

TEST(ComputeWrongResults, SaysWhatThePatternMeans) {
  EXPECT_EQ(found(compute_wrong_results(), host_with({result("outside", "miscompiled")})).title,
            "The driver's compiler makes wrong code");
  EXPECT_NE(found(compute_wrong_results(), host_with({result("outside", "tile")})).explanation.find("one compute unit"),
            std::string::npos);
}

TEST(ComputeWrongResults, AreUnknownWhereARunOfZerosProvesNothing) {
  const Snapshot host = host_with({result("same-bits"), result("not-trustworthy")});
  EXPECT_EQ(state_of(compute_wrong_results(), host, "compute.wrong-results"), "unknown");
}

TEST(ComputeFp64Missing, IsFoundSoundOrUnknown) {
  Snapshot host = host_with({result("same-bits")});
  EXPECT_EQ(state_of(compute_fp64_missing(), host, "compute.fp64-missing"), "unknown");
  host.compute_not_run = std::vector<ComputeNotRun>{
      {.device = "cuda:0", .kernel = "map", .precision = "fp64", .why = "missing: the device has no fp64"}};
  EXPECT_EQ(state_of(compute_fp64_missing(), host, "compute.fp64-missing"), "found");
  host.compute_not_run = std::vector<ComputeNotRun>{
      {.device = "cuda:0", .kernel = "map", .precision = "fp64", .why = "time: none was left"}};
  EXPECT_EQ(state_of(compute_fp64_missing(), host, "compute.fp64-missing"), "unknown");
  host.compute.get()->front().precision = "fp64";
  EXPECT_EQ(state_of(compute_fp64_missing(), host, "compute.fp64-missing"), "sound");
  EXPECT_EQ(state_of(compute_fp64_missing(), Snapshot{}, "compute.fp64-missing"), "unknown");
}

TEST(HardwareEcc, IsSuspectedWhereSingleBitsTurn) {
  const Finding finding = found(hardware_ecc(), host_with({result("outside", "bit-flip")}));
  EXPECT_EQ(finding.confidence, Confidence::possible);
  EXPECT_EQ(finding.severity, Severity::warning);
}

RungState compute_rung(const Snapshot& snapshot, std::string_view stack) {
  for (const Ladder& ladder : judge(snapshot, {}).ladders) {
    if (ladder.stack != stack) continue;
    for (const RungResult& rung : ladder.rungs) {
      if (rung.rung == Rung::compute) return rung.state;
    }
  }
  return RungState::not_applicable;
}

TEST(ComputeRung, HoldsWhereResultsAgreeAndBreaksWhereOneIsWrong) {
  EXPECT_EQ(compute_rung(host_with({}), "cuda"), RungState::unknown);
  EXPECT_EQ(compute_rung(host_with({result("same-bits")}), "cuda"), RungState::holds);
  EXPECT_EQ(compute_rung(host_with({result("same-bits"), result("outside", "unnamed")}), "cuda"), RungState::broken);
}

TEST(ComputeRung, IsNotBrokenByTheCpuOrByAnotherDevice) {
  EXPECT_EQ(compute_rung(host_with({result("same-bits"), result("outside", "unnamed", "host")}), "cuda"),
            RungState::holds);
  EXPECT_EQ(compute_rung(host_with({result("outside", "unnamed", "host")}), "cuda"), RungState::unknown);
  EXPECT_EQ(compute_rung(host_with({result("outside", "unnamed", "opencl:rusticl/llvmpipe")}), "cuda"),
            RungState::unknown);
}

}  // namespace
}  // namespace envdoctor
