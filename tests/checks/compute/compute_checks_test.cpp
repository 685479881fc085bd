// The checks of devices' results: each passed, failed, without results, and unknown.
#include <gtest/gtest.h>

#include "checks/engine/report.h"
#include "checks/engine/stacks.h"
#include "tests/support/builders.h"

namespace envdoctor::compute_checks_test {

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

// A diagnosis, and a result that it must find.
struct Subject {
  const char* id;
  ComputeResult broken;
};

std::vector<Subject> subjects() {
  ComputeResult shaky = result("within-bound", "order");
  shaky.repeatable = false;
  ComputeResult limited = result("outside", "size-limit");
  limited.limit = 65535;
  return {{"compute.wrong-results", result("outside", "unnamed")},
          {"compute.tf32", result("outside", "tf32-inputs")},
          {"compute.denormals", result("within-bound", "flush-to-zero")},
          {"compute.fast-math", result("outside", "fast-math")},
          {"compute.nondeterministic", shaky},
          {"compute.size-limit", limited},
          {"compute.unstable", result("outside", "unstable")}};
}

TEST(WrongResults, AreLikelyWhereOnlyChanceDoesNotExplainThem) {
  ComputeResult by_chance = result("outside", "unnamed");
  by_chance.agreement.get()->bound = std::string("probable");
  const auto finding = [](const std::vector<ComputeResult>& results) {
    return answers_of("compute.wrong-results", host_with(results)).findings.at(0);
  };
  EXPECT_EQ(finding({by_chance}).confidence, Confidence::likely);
  EXPECT_NE(finding({by_chance}).explanation.find("by chance"), std::string::npos);
  EXPECT_EQ(finding({by_chance, result("outside", "unnamed")}).confidence, Confidence::certain);
}

class ComputeCheck : public testing::TestWithParam<std::size_t> {
 protected:
  Subject subject_ = subjects()[GetParam()];
  std::string state(const Snapshot& snapshot) { return state_of(subject_.id, snapshot); }
};

TEST_P(ComputeCheck, FindsItsOwnCauseAndNoOther) {
  for (const Subject& other : subjects()) {
    const bool own = std::string(other.id) == subject_.id;
    EXPECT_EQ(state(host_with({result("same-bits"), other.broken})), own ? "failed" : "passed") << other.id;
  }
}

TEST_P(ComputeCheck, IsSoundWhereResultsAgree) {
  EXPECT_EQ(state(host_with({result("same-bits"), result("within-bound")})), "passed");
}

TEST_P(ComputeCheck, IsUnknownWhereNothingWasRunOrCompared) {
  EXPECT_EQ(state(Snapshot{}), "unknown");
  EXPECT_EQ(state(host_with({})), "unknown");
  ComputeResult alone = result("same-bits");
  alone.agreement = failed("the reference could not be computed");
  EXPECT_EQ(state(host_with({alone})), "unknown");
}

TEST_P(ComputeCheck, TellsOneFindingForADeviceAtItsPlaceOnTheBus) {
  const Answers answers = answers_of(subject_.id, host_with({subject_.broken, subject_.broken}));
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings.front().subject, "gpu:0000:65:00.0");
  EXPECT_EQ(answers.findings.front().evidence.front().path, "/compute/0/agreement/outcome");
  EXPECT_FALSE(answers.findings.front().fix.empty());
}

INSTANTIATE_TEST_SUITE_P(Each, ComputeCheck, testing::Range<std::size_t>(0, 7));

Finding found(const std::string& id, const Snapshot& snapshot) {
  const Answers answers = answers_of(id, snapshot);
  return answers.findings.empty() ? Finding{} : answers.findings.front();
}

TEST(ComputeTf32, IsInformationOfAFrameworkAndAnErrorOfAPlainKernel) {
  ComputeResult framework = result("outside", "tf32-inputs");
  framework.backend = "framework";
  EXPECT_EQ(found("compute.tf32", host_with({framework})).severity, Severity::info);
  EXPECT_EQ(found("compute.tf32", host_with({result("outside", "tf32-inputs")})).severity, Severity::error);
  EXPECT_EQ(found("compute.tf32", host_with({result("within-bound", "tf32-inputs")})).severity, Severity::warning);
  EXPECT_EQ(found("compute.tf32", host_with({result("outside", "bf16-inputs")})).title,
            "Float32 products are computed with bf16 inputs");
}

TEST(ComputeSizeLimit, NamesTheLimit) {
  ComputeResult limited = result("outside", "size-limit");
  limited.limit = 65535;
  const Finding finding = found("compute.size-limit", host_with({limited}));
  EXPECT_NE(finding.explanation.find("right up to 65535"), std::string::npos);
  EXPECT_EQ(paths_of(finding).back(), "/compute/0/limit");
}

TEST(ComputeNondeterministic, WarnsWhereTheOrderIsFixed) {
  ComputeResult shaky = result("within-bound", "nondeterministic");
  shaky.repeatable = false;
  EXPECT_EQ(found("compute.nondeterministic", host_with({shaky})).severity, Severity::warning);
  shaky.agreement.fill().cause = "order";
  EXPECT_EQ(found("compute.nondeterministic", host_with({shaky})).severity, Severity::info);
}

TEST(ComputeWrongResults, SaysWhatThePatternMeans) {
  EXPECT_EQ(found("compute.wrong-results", host_with({result("outside", "miscompiled")})).title,
            "The driver's compiler generates wrong code");
  EXPECT_EQ(found("compute.wrong-results", host_with({result("outside", "lost-additions")})).title,
            "Additions are lost on the device");
  EXPECT_NE(found("compute.wrong-results", host_with({result("outside", "tile")})).explanation.find("one compute unit"),
            std::string::npos);
}

// The card is to blame where places come and go, or stay on other inputs, and not before.
TEST(ComputeWrongResults, BlameTheCardOnlyWithProof) {
  for (const char* cause : {"bit-flip", "tile", "lost-additions", "unnamed"}) {
    const Finding finding = found("compute.wrong-results", host_with({result("outside", cause)}));
    EXPECT_EQ(finding.fix.front().text.find("replace the card"), std::string::npos) << cause;
  }
  for (const char* proof : {"repeat", "other inputs", "moved rows"}) {
    ComputeResult proved = result("outside", "tile");
    proved.agreement.get()->confirmed_by = std::string(proof);
    const Finding finding = found("compute.wrong-results", host_with({result("outside", "tile"), proved}));
    EXPECT_NE(finding.fix.front().text.find("replace the card"), std::string::npos) << proof;
  }
}

TEST(ComputeWrongResults, AreUnknownWhereARunOfZerosProvesNothing) {
  const Snapshot host = host_with({result("same-bits"), result("not-trustworthy")});
  EXPECT_EQ(state_of("compute.wrong-results", host), "unknown");
}

TEST(ComputeFp64Missing, IsFoundSoundOrUnknown) {
  Snapshot host = host_with({result("same-bits")});
  EXPECT_EQ(state_of("compute.fp64-missing", host), "unknown");
  host.compute_not_run = std::vector<ComputeNotRun>{
      {.device = "cuda:0", .kernel = "map", .precision = "fp64", .why = "missing: the device has no fp64"}};
  EXPECT_EQ(state_of("compute.fp64-missing", host), "failed");
  host.compute_not_run = std::vector<ComputeNotRun>{
      {.device = "cuda:0", .kernel = "map", .precision = "fp64", .why = "time: none was left"}};
  EXPECT_EQ(state_of("compute.fp64-missing", host), "unknown");
  host.compute.get()->front().precision = "fp64";
  EXPECT_EQ(state_of("compute.fp64-missing", host), "passed");
  EXPECT_EQ(state_of("compute.fp64-missing", Snapshot{}), "unknown");
}

TEST(HardwareEcc, IsSuspectedWhereSingleBitsTurn) {
  const Finding finding = found("hardware.ecc", host_with({result("outside", "bit-flip")}));
  EXPECT_EQ(finding.confidence, Confidence::possible);
  EXPECT_EQ(finding.severity, Severity::warning);
}

LayerState compute_layer(const Snapshot& snapshot, std::string_view stack) {
  for (const GpuStack& gpu_stack : judge(snapshot, {}).stacks) {
    if (gpu_stack.stack != stack) continue;
    for (const LayerResult& layer : gpu_stack.layers) {
      if (layer.layer == Layer::compute) return layer.state;
    }
  }
  return LayerState::not_applicable;
}

TEST(ComputeRung, HoldsWhereResultsAgreeAndBreaksWhereOneIsWrong) {
  EXPECT_EQ(compute_layer(host_with({}), "cuda"), LayerState::unknown);
  EXPECT_EQ(compute_layer(host_with({result("same-bits")}), "cuda"), LayerState::ok);
  EXPECT_EQ(compute_layer(host_with({result("same-bits"), result("outside", "unnamed")}), "cuda"), LayerState::broken);
}

TEST(ComputeRung, IsNotBrokenByTheCpuOrByAnotherDevice) {
  EXPECT_EQ(compute_layer(host_with({result("same-bits"), result("outside", "unnamed", "host")}), "cuda"),
            LayerState::ok);
  EXPECT_EQ(compute_layer(host_with({result("outside", "unnamed", "host")}), "cuda"), LayerState::unknown);
  EXPECT_EQ(compute_layer(host_with({result("outside", "unnamed", "opencl:rusticl/llvmpipe")}), "cuda"),
            LayerState::unknown);
}

}  // namespace
}  // namespace envdoctor::compute_checks_test
