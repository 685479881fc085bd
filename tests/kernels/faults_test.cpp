// The verifier is shown to catch lies: a layer before a healthy driver corrupts what it computes in one way a time.
#include <gtest/gtest.h>

#include "tests/support/devices.h"
#include "tests/support/paths.h"

namespace envdoctor {
namespace {

using kernels::Effort;
using kernels::Variant;
using kernels::VerifyOptions;

struct Fault {
  const char* name;
  const char* kernel;
  const char* cause;    // of a row that is outside; null: what follows
  const char* not_run;  // else: how the reason of a row that did not run begins
  Variant variant = Variant::cpu;
  const char* columns = "1";
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

const Fault faults[] = {
    {"bit-flip", "pattern", "bit-flip", nullptr},
    {"bit-flip-sometimes", "pattern", "bit-flip", nullptr},
    {"tile", "gemm", "tile", nullptr, Variant::cpu, "129"},
    {"lane", "triad", "tile", nullptr},
    {"tf32-inputs", "gemm", "tf32-inputs", nullptr},
    {"tf32-truncated", "gemm", "tf32-inputs", nullptr},
    {"bf16-inputs", "gemm", "bf16-inputs", nullptr},
    {"bf16-truncated", "dot", "bf16-inputs", nullptr},
    {"fp16-inputs", "dot", "fp16-inputs", nullptr},
    {"results-of-11-bits", "gemm", "fp16-accumulator", nullptr},
    {"nan", "gemm", "unnamed", nullptr},
    {"stale-half", "triad", "not-written", nullptr},
    {"launch-skipped", "triad", "not-written", nullptr},
    {"launch-skipped-sometimes", "triad", "not-written", nullptr},
    {"off-by-one", "pattern", "not-written", nullptr, Variant::gpu},
    {"few-items", "triad", "size-limit", nullptr},
    {"tail", "triad", "tail", nullptr},
    {"last-column", "gemm", "columns", nullptr, Variant::cpu, "129"},
    {"race", "gemm", "nondeterministic", nullptr},
    {"overrun", "reduce", "out-of-bounds", nullptr},
    {"overrun-far", "conv2d", "out-of-bounds", nullptr},
    {"miscompiled", "hash-chain", "miscompiled", nullptr},
    {"zeros", "gemm", "", nullptr},  // found is enough: where all is zero, every probe is too
    {"wrong-constant", "hash-chain", "unnamed", nullptr},
    {"plain-atomics", "histogram", "", nullptr},
    {"short-loop", "gemm", "unnamed", nullptr},
    {"no-barrier", "scan", "size-limit", nullptr, Variant::gpu},
    {"launch-error", "triad", nullptr, "error: "},
    {"build-failure", "triad", nullptr, "build: "},
    {"build-crash", "triad", nullptr, "crash: "},
    {"abort", "triad", nullptr, "crash: "},
    {"segfault", "triad", nullptr, "crash: "},
    {"exit", "triad", nullptr, "exit: "},
    {"hang", "triad", nullptr, "timeout: "},
};

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
                        .variant = fault.variant,
                        .seed = 11,
                        .limits = {.time = Milliseconds(60'000), .memory_mib = 600}};
  const bool hangs = std::string_view(fault.name) == "hang";
  if (hangs) options.limits.time = Milliseconds(4000);
  const Snapshot snapshot = kernels::verify({target}, options);
  bool named = false, blamed = false;
  for (const ComputeResult& row : *snapshot.compute.get()) {
    const Agreement& agreement = *row.agreement.get();
    named =
        named || (fault.cause && agreement.outcome.is("outside") && (!*fault.cause || agreement.cause.is(fault.cause)));
  }
  for (const ComputeNotRun& row : *snapshot.compute_not_run.get())
    blamed = blamed || (fault.not_run && row.why.get()->starts_with(fault.not_run));
  EXPECT_TRUE(named || blamed) << told(snapshot);
  if (blamed) EXPECT_TRUE(snapshot.compute_not_run.get()->front().kernel.is(fault.kernel)) << told(snapshot);
}

INSTANTIATE_TEST_SUITE_P(Layer, FaultyDriver, testing::ValuesIn(faults), [](const auto& info) {
  std::string name = info.param.name;
  std::erase(name, '-');
  return name;
});

TEST(FaultyDriver, TheLayerAloneChangesNothing) {
  kernels::Target target = pocl_target();
  if (target.library.empty()) GTEST_SKIP() << "PoCL is not installed";
  target.library = "libOpenCL.so.1";
  target.through_loader = true;
  const Variable layers("OPENCL_LAYERS", std::string(test_build_folder) + "/fakes/fault_layer.so");
  const Snapshot snapshot = kernels::verify({target}, {.effort = Effort::quick, .kernels = {"triad", "gemm"}});
  EXPECT_FALSE(snapshot.compute.get()->empty());
  expect_sound(snapshot);
}

}  // namespace
}  // namespace envdoctor
