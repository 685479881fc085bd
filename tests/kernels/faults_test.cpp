// Shows that the verifier detects faults: a layer above a healthy driver corrupts its results in one way at a time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>

#include "kernels/bench/bench.h"
#include "tests/support/expect_correct.h"
#include "tests/support/paths.h"
#include "tests/support/sanitized.h"

namespace envdoctor::faults_test {
namespace {

using kernels::Effort;
using kernels::Precision;
using kernels::Variant;
using kernels::VerifyOptions;

struct Fault {
  const char* name;
  const char* kernel;
  const char* cause;                              // of every result that is outside; null: what follows
  const char* not_run;                            // else: how the reason of a row that did not run begins
  std::optional<Variant> variant = Variant::cpu;  // none: as it is chosen
  const char* columns = "1";
  Precision precision = Precision::fp32;  // of floating kernels: the layer spoils words of four bytes
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

const Fault faults[] = {
    // What comes back from the device.
    {"bit-flip", "pattern", "bit-flip", nullptr},
    {"bit-flip-sometimes", "pattern", "bit-flip", nullptr},
    {"tile", "gemm", "tile", nullptr, Variant::cpu, "129"},
    {"lane", "triad", "tile", nullptr},
    {"results-of-11-bits", "gemm", "fp16-accumulator", nullptr},
    {"nan", "gemm", "not-a-number", nullptr},
    {"zeros", "gemm", "zeros", nullptr},
    {"scaled", "gemm", "scaled", nullptr},
    {"scaled", "triad", "scaled", nullptr},
    {"stale-half", "triad", "not-written", nullptr},
    {"tail", "triad", "tail", nullptr},
    {"last-column", "gemm", "columns", nullptr, Variant::cpu, "129"},
    {"shifted", "triad", "other-index", nullptr},
    {"swapped-halves", "triad", "other-index", nullptr},
    {"race", "gemm", "nondeterministic", nullptr},
    {"underrun", "reduce", "out-of-bounds", nullptr},
    {"overrun", "reduce", "out-of-bounds", nullptr},
    {"overrun-far", "conv2d", "out-of-bounds", nullptr},
    {"miscompiled", "hash-chain", "miscompiled", nullptr},
    {"inf-to-largest", "map", "not-a-number", nullptr},
    {"inf-to-nan", "map", "not-a-number", nullptr},
    {"last-element", "triad", "last-element", nullptr},
    {"last-count", "histogram", "last-element", nullptr},
    {"count-moved", "histogram", "moved-count", nullptr},
    {"guard-bit", "gemm", "bit-flip", nullptr},
    // One launch alone, among those that are timed to choose a variant as well.
    {"second-launch", "triad", "bit-flip", nullptr},
    {"fourth-launch", "gemm", "bit-flip", nullptr},
    {"second-launch", "gemm", "bit-flip", nullptr, {}},
    {"fourth-launch", "triad", "bit-flip", nullptr, {}},
    // Results that are kept by shape, and transfers.
    {"cached", "gemm", "stale", nullptr},
    {"cached", "map", "stale", nullptr},
    {"read-cut", "pattern", "transfer", nullptr},
    {"read-dropped", "gemm", "transfer", nullptr},
    {"read-early", "triad", "transfer", nullptr},
    {"write-cut", "reduce", "transfer", nullptr},
    {"write-dropped", "gemm", "transfer", nullptr},
    {"inputs-overwritten", "gemm", "inputs-overwritten", nullptr},
    {"inputs-overwritten", "softmax", "inputs-overwritten", nullptr},
    // What is given to it.
    {"tf32-inputs", "gemm", "tf32-inputs", nullptr},
    {"tf32-truncated", "gemm", "tf32-inputs", nullptr},
    {"bf16-inputs", "gemm", "bf16-inputs", nullptr},
    {"bf16-truncated", "dot", "bf16-inputs", nullptr},
    {"fp16-inputs", "dot", "fp16-inputs", nullptr},
    {"fp16-inputs-of-doubles", "dot", "fp16-inputs or tf32-inputs", nullptr, Variant::cpu, "1", Precision::fp64},
    {"fp32-inputs", "gemm", "fp32-inputs", nullptr, Variant::cpu, "1", Precision::fp64},
    // What is launched.
    {"launch-skipped", "triad", "not-written", nullptr},
    {"launch-skipped-sometimes", "triad", "not-written", nullptr},
    {"few-items", "triad", "size-limit", nullptr},
    {"launch-error", "triad", nullptr, "error: "},
    {"abort", "triad", nullptr, "crash: "},
    {"segfault", "triad", nullptr, "crash: "},
    {"exit", "triad", nullptr, "exit: "},
    {"hang", "triad", nullptr, "timeout: "},
    {"slow", "sort", nullptr, "timeout: ", Variant::gpu},
    {"leak", "sort", nullptr, "memory: ", Variant::gpu},
    // Variants of the kernels.
    {"off-by-one", "pattern", "not-written", nullptr, Variant::gpu},
    {"fp16-sums", "dot", "fp16-accumulator", nullptr},
    {"wrong-constant", "hash-chain", "other-calculation", nullptr},
    {"plain-atomics", "histogram", "nondeterministic or other-calculation", nullptr},
    {"additions-lost", "float-atomics", "lost-additions", nullptr},
    {"counts-lost", "histogram", "lost-additions", nullptr},
    {"short-loop", "gemm", "lost-terms", nullptr},
    {"swapped", "stencil", "other-calculation", nullptr},
    {"layernorm-formula", "layernorm", "other-calculation", nullptr},  // with one sign of fast-math
    {"exp-off", "map", "function", nullptr},
    {"exp-wrong", "softmax", "function", nullptr},
    {"tanh-off", "lstm", "function", nullptr},
    {"rsqrt-off", "map", "function", nullptr},
    {"rsqrt-off", "layernorm", "function", nullptr},
    {"layernorm-epsilon", "layernorm", "other-calculation or not-a-number or unnamed", nullptr},
    {"log-off", "map", "function", nullptr},
    {"lost-first-term", "gemv", "lost-terms", nullptr},
    {"one-pass-variance", "layernorm", "other-calculation", nullptr},
    {"no-barrier", "scan", "barrier", nullptr, Variant::gpu},
    {"no-barrier-in-scan", "scan", "barrier", nullptr, Variant::gpu},
    // Options for the compiler, and what they stand for.
    {"fast-math", "fp-probe", "fast-math", nullptr},
    {"finite-math", "fp-probe", "fast-math", nullptr},
    {"unsafe-math", "fp-probe", "fast-math", nullptr},
    {"zero-sign-lost", "fp-probe", "fast-math", nullptr},
    {"denorms-are-zero", "map", "flush-to-zero", nullptr, Variant::cpu, "1", Precision::fp64},
    {"denorms-are-zero", "fp-probe", "flush-to-zero", nullptr, Variant::cpu, "1", Precision::fp64},
    {"build-failure", "triad", nullptr, "build: "},
    {"build-crash", "triad", nullptr, "crash: "},
};

// `causes` may be several, joined by "or": a race needs luck to show as one.
bool is_one_of(const Text& cause, std::string_view causes) {
  return cause.get() && !cause.get()->empty() && causes.find(*cause.get()) != causes.npos;
}

class FaultyDriver : public testing::TestWithParam<Fault> {};

TEST_P(FaultyDriver, IsFoundOutAndNamed) {
  const Fault& fault = GetParam();
  kernels::Target target = pocl_target();
  if (target.library.empty()) GTEST_SKIP() << "PoCL is not installed";
  target.library = "libOpenCL.so.1";
  target.through_loader = true;
  const Variable layers("OPENCL_LAYERS", std::string(test_build_folder) + "/fakes/fault_layer.so");
  const Variable chosen("ENVDOCTOR_FAULT", fault.name);
  const Variable columns("ENVDOCTOR_FAULT_COLUMNS", fault.columns);
  VerifyOptions options{.effort = Effort::quick,
                        .kernels = {fault.kernel},
                        .precisions = {fault.precision, Precision::int32, Precision::uint32},
                        .variant = fault.variant,
                        .seed = 11,
                        .limits = {.time = Milliseconds(60'000), .memory_mib = sanitized ? 2400 : 600}};
  const std::string_view name = fault.name;
  if (name == "hang" || name == "slow") options.limits.time = Milliseconds(4000);
  const Snapshot snapshot = kernels::verify({target}, options);
  int outside = 0;
  for (const ComputeResult& row : *snapshot.compute.get()) {
    const Agreement& agreement = *row.agreement.get();
    if (!agreement.outcome.is("outside")) continue;
    ++outside;
    EXPECT_TRUE(fault.cause && is_one_of(agreement.cause, fault.cause)) << describe(snapshot);
  }
  EXPECT_EQ(outside > 0, fault.cause != nullptr) << describe(snapshot);
  if (!fault.not_run) return;
  ASSERT_FALSE(snapshot.compute_not_run.get()->empty()) << describe(snapshot);
  const ComputeNotRun& row = snapshot.compute_not_run.get()->front();
  EXPECT_TRUE(row.why.get()->starts_with(fault.not_run)) << describe(snapshot);
  EXPECT_TRUE(row.kernel.is(fault.kernel)) << describe(snapshot);
}

INSTANTIATE_TEST_SUITE_P(Layer, FaultyDriver, testing::ValuesIn(faults), [](const auto& of) {
  std::string name = std::string(of.param.name) + "_" + of.param.kernel + (of.param.variant ? "" : "_chosen");
  std::erase(name, '-');
  return name;
});

TEST(FaultyDriver, MayFlushSinglePrecisionWhichIsSaid) {
  kernels::Target target = pocl_target();
  if (target.library.empty()) GTEST_SKIP() << "PoCL is not installed";
  const Snapshot snapshot = kernels::verify({target}, {.effort = Effort::quick,
                                                       .kernels = {"map"},
                                                       .precisions = {Precision::fp32},
                                                       .build_options = "-cl-denorms-are-zero"});
  expect_correct(snapshot);
  EXPECT_TRUE(snapshot.compute.get()->front().agreement.get()->cause.is("flush-to-zero")) << describe(snapshot);
}

kernels::Target pocl_behind_the_layer() {
  kernels::Target target = pocl_target();
  target.library = "libOpenCL.so.1";
  target.through_loader = true;
  return target;
}

// Verify first, name after: whatever is wrong, all rows run.
TEST(FaultyDriver, KeepsNoRowFromRunning) {
  if (pocl_target().library.empty()) GTEST_SKIP() << "PoCL is not installed";
  const VerifyOptions options{.effort = Effort::quick, .seed = 11, .limits = {.time = Milliseconds(60'000)}};
  const Snapshot healthy = kernels::verify({pocl_target()}, options);
  const Variable layers("OPENCL_LAYERS", std::string(test_build_folder) + "/fakes/fault_layer.so");
  const Variable chosen("ENVDOCTOR_FAULT", "scaled");
  const Snapshot snapshot = kernels::verify({pocl_behind_the_layer()}, options);
  EXPECT_GE(snapshot.compute.get()->size(), healthy.compute.get()->size()) << describe(snapshot);
  EXPECT_EQ(snapshot.compute_not_run.get()->size(), healthy.compute_not_run.get()->size()) << describe(snapshot);
}

// A device that calls itself a GPU and computes on the host's cores.
TEST(FaultyDriver, IsToldWhereItBurnsTheHostsCores) {
  if (pocl_target().library.empty()) GTEST_SKIP() << "PoCL is not installed";
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one core waits as busily as it computes";
  const Variable layers("OPENCL_LAYERS", std::string(test_build_folder) + "/fakes/fault_layer.so");
  const Variable chosen("ENVDOCTOR_FAULT", "claims-gpu");
  kernels::Target target = pocl_behind_the_layer();
  target.is_cpu = false;
  const Snapshot snapshot =
      kernels::verify({target}, {.effort = Effort::quick, .kernels = {"hash-chain", "map", "sort"}});
  ASSERT_FALSE(snapshot.compute.get()->empty()) << describe(snapshot);
  const Real& cores = snapshot.compute.get()->front().host_cores;
  ASSERT_TRUE(cores.get()) << cores.why();
  EXPECT_GT(*cores.get(), 0.02);  // where others need them as well
}

// What is timed is poisoned before its last batch.
TEST(FaultyDriver, GetsNoSpeedForLaunchesThatItSkips) {
  if (pocl_target().library.empty()) GTEST_SKIP() << "PoCL is not installed";
  const Variable layers("OPENCL_LAYERS", std::string(test_build_folder) + "/fakes/fault_layer.so");
  const Variable chosen("ENVDOCTOR_FAULT", "launch-skipped-late");
  const Snapshot snapshot =
      kernels::bench({pocl_behind_the_layer()},
                     {.effort = Effort::quick, .kernels = {"gemm"}, .precisions = {Precision::fp32}, .size = 192});
  const ComputeResult& row = snapshot.compute.get()->front();
  EXPECT_TRUE(row.agreement.get()->outcome.is("outside")) << describe(snapshot);
  EXPECT_FALSE(row.rate.get());
}

// A driver of our own making, tests/fakes/opencl.c, in one of its ways; others must be verified all the same.
struct FakeIcd {
  const char* way;
  const char* reason;  // within the reason of its row that did not run; null: a result is outside, and why
  const char* cause = nullptr;
};
const FakeIcd fake_icds[] = {
    {"abort", "crash: ended by SIGABRT"},
    {"segfault", "crash: ended by SIGSEGV"},
    {"constructor", "crash: ended by SIGABRT"},
    {"hang", "timeout: "},
    {"exit", "exit: "},
    {"eat", "memory: "},
    {"launch", "crash: ended by SIGSEGV"},
    {"build", "clBuildProgram"},
    {"counts", "lists too many platforms"},
    {"none", "clIcdGetPlatformIDsKHR"},
    {"null", "no longer lists this device"},
    {"entryless", "clGetExtensionFunctionAddress"},
    {"healthy", "clEnqueueWriteBuffer"},  // which it doesn't have
    {"idle", nullptr, "not-written"},
};
void PrintTo(const FakeIcd& fake, std::ostream* out) { *out << fake.way; }

class FaultyIcd : public testing::TestWithParam<FakeIcd> {};

TEST_P(FaultyIcd, IsToldAndDoesNoHarmToOthers) {
  const FakeIcd& fake = GetParam();
  const kernels::Target target = {.subject = "opencl:fake",
                                  .backend = "opencl",
                                  .library = fmt::format("{}/fakes/fake_opencl_{}.so", test_build_folder, fake.way),
                                  .platform = "Fake platform"};
  const Snapshot snapshot = kernels::verify(
      {target, host_target()}, {.effort = Effort::tiny,
                                .kernels = {"triad"},
                                .precisions = {Precision::fp32},
                                .limits = {.time = Milliseconds(3000), .memory_mib = sanitized ? 1600 : 400}});
  const auto rows = [&](const auto& section, const char* device) {
    return std::ranges::count_if(*section.get(), [&](const auto& row) { return row.device.is(device); });
  };
  EXPECT_GT(rows(snapshot.compute, "host"), 0) << describe(snapshot);
  if (fake.reason) {
    EXPECT_EQ(rows(snapshot.compute, "opencl:fake"), 0) << describe(snapshot);
    ASSERT_GT(rows(snapshot.compute_not_run, "opencl:fake"), 0) << describe(snapshot);
    EXPECT_NE(snapshot.compute_not_run.get()->front().why.get()->find(fake.reason), std::string::npos)
        << describe(snapshot);
    return;
  }
  ASSERT_GT(rows(snapshot.compute, "opencl:fake"), 0) << describe(snapshot);
  for (const ComputeResult& row : *snapshot.compute.get()) {
    if (!row.device.is("opencl:fake")) continue;
    EXPECT_TRUE(row.agreement.get()->outcome.is("outside")) << describe(snapshot);
    EXPECT_TRUE(row.agreement.get()->cause.is(fake.cause)) << describe(snapshot);
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, FaultyIcd, testing::ValuesIn(fake_icds), [](const auto& of) { return of.param.way; });

TEST(FaultyDriver, TheLayerAloneChangesNothing) {
  kernels::Target target = pocl_target();
  if (target.library.empty()) GTEST_SKIP() << "PoCL is not installed";
  target.library = "libOpenCL.so.1";
  target.through_loader = true;
  const Variable layers("OPENCL_LAYERS", std::string(test_build_folder) + "/fakes/fault_layer.so");
  const Snapshot snapshot = kernels::verify({target}, {.effort = Effort::quick, .kernels = {"triad", "gemm"}});
  EXPECT_FALSE(snapshot.compute.get()->empty());
  expect_correct(snapshot);
}

}  // namespace
}  // namespace envdoctor::faults_test
