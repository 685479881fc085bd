// What naming is given to work with: a device that lies on the host, in the verifier itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/core/problem_run.h"
#include "tests/support/devices.h"

namespace envdoctor::kernels::classify_run_test {
namespace {

const Kernel& kernel_named(std::string_view name) {
  return *std::ranges::find_if(all_kernels(), [&](const Kernel& kernel) { return kernel.name == name; });
}

// The last row that these kernels leave on a host that lies.
ComputeResult last_of(const Kernel& kernel, const Fault& fault) {
  Snapshot seen;
  const Reporter told{.partial_result = [&](const Snapshot& part) { seen = part; }, .step = [](const std::string&) {}};
  verify_on(*open_host({}, fault), {&kernel}, {.effort = Effort::quick, .precisions = {Precision::fp32}}, told);
  return seen.compute.get()->back();
}
std::string cause_of(const ComputeResult& row) {
  const Text& cause = row.agreement.get()->cause;
  return cause.get() ? *cause.get() : "";
}

std::span<float> floats(std::span<std::byte> bytes) {
  return {reinterpret_cast<float*>(bytes.data()), bytes.size() / sizeof(float)};
}
void make_one_percent_larger(std::span<std::byte> bytes) {
  for (float& x : floats(bytes)) x *= 1.01F;
}

TEST(ClassifyRun, FeedsTheModeThatSingleOperationsShow) {
  const auto fast_math = [](const Step& step, int buffer, std::span<std::byte> bytes) {
    if (step.function.starts_with("triad") && buffer == 0) make_one_percent_larger(bytes);
    if (step.function.starts_with("fp_probe") && buffer == 4) {
      for (float& x : floats(bytes)) x = std::isnan(x) ? 0 : x;
    }
  };
  EXPECT_EQ(cause_of(last_of(kernel_named("triad"), fast_math)), "fast-math");
  // Without that fault the same wrong numbers are no fast-math.
  EXPECT_EQ(cause_of(last_of(kernel_named("triad"),
                             [](const Step&, int buffer, std::span<std::byte> bytes) {
                               if (buffer == 0) make_one_percent_larger(bytes);
                             })),
            "scaled");
}

TEST(ClassifyRun, FeedsTheLadderThatTheSameDeviceClimbs) {
  // Sums of products come out truncated, those of the precision probes too.
  const ComputeResult row = last_of(kernel_named("dot"), [](const Step& step, int buffer, std::span<std::byte> bytes) {
    if (!step.function.starts_with("dot") || buffer != 2) return;
    for (float& x : floats(bytes)) x = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffffe000U);
  });
  EXPECT_EQ(cause_of(row), "fp16-accumulator");
  EXPECT_TRUE(row.agreement.get()->confirmed_by.is("11-bit results, precision probes"));
}

TEST(ClassifyRun, FeedsTheHostsOwnResultSoThatAnUnstableCalculationIsNoFault) {
  Kernel ill = kernel_named("layernorm");
  ill.functions.reference = [](const Problem& problem, const std::vector<Array>& in) {
    std::vector<Expected> expected = kernel_named("layernorm").reference(problem, in);
    for (double& value : expected[0].value) value *= 1.01;  // as if plain arithmetic lost two digits
    return expected;
  };
  EXPECT_EQ(cause_of(last_of(ill, {})), "unstable");
  const auto far_worse = [](const Step&, int buffer, std::span<std::byte> bytes) {
    if (buffer == 3) {
      for (float& x : floats(bytes)) x *= 2;
    }
  };
  EXPECT_EQ(cause_of(last_of(ill, far_worse)), "scaled");
}

}  // namespace
}  // namespace envdoctor::kernels::classify_run_test
