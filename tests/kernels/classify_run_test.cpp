// The inputs of classification: a faulty device on the host, in the verifier itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <cmath>

#include "kernels/classify/classify.h"
#include "kernels/core/problem_run.h"
#include "tests/support/expect_correct.h"

namespace envdoctor::kernels::classify_run_test {
namespace {

const Kernel& kernel_named(std::string_view name) {
  return *std::ranges::find_if(all_kernels(), [&](const Kernel& kernel) { return kernel.name == name; });
}

// The last row that these kernels leave on a host that lies.
ComputeResult last_of(const Kernel& kernel, const Fault& fault) {
  Snapshot seen;
  const Reporter reporter{.partial_result = [&](const Snapshot& part) { seen = part; },
                          .step = [](const std::string&) {}};
  verify_on(*open_host({}, fault), {&kernel}, {.effort = Effort::quick, .precisions = {Precision::fp32}}, reporter);
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
  // One sign of fast-math excuses nothing that fast-math doesn't do.
  EXPECT_EQ(cause_of(last_of(kernel_named("triad"), fast_math)), "scaled");
  // A square root of three ulp is what such options may leave of it, and what is wrong without them.
  const auto square_root = [](const Step& step, int buffer, std::span<std::byte> bytes) {
    if (!step.function.starts_with("map") || buffer != 2) return;
    const std::span<float> out = floats(bytes);
    for (std::size_t i = out.size() / 16 * 13 + 16; i < out.size() / 16 * 14; ++i) out[i] *= 1 + 5 * 0x1p-23F;
  };
  const auto both = [&](const Step& step, int buffer, std::span<std::byte> bytes) {
    fast_math(step, buffer, bytes);
    square_root(step, buffer, bytes);
  };
  EXPECT_EQ(cause_of(last_of(kernel_named("map"), square_root)), "function");
  EXPECT_EQ(cause_of(last_of(kernel_named("map"), both)), "fast-math");
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

// Places that stay, in the kernel of functions too, are no inexact function.
TEST(ClassifyRun, CallsNoFunctionInexactForPlacesThatStay) {
  const auto spoilt = [](bool all) {
    return [all](const Step& step, int buffer, std::span<std::byte> bytes) {
      const bool map = step.function.starts_with("map") && buffer == 2;
      if (!map && !(step.function.starts_with("layernorm") && buffer == 3)) return;
      const std::span<float> out = floats(bytes);
      const std::size_t row = out.size() / 16;
      for (std::size_t i = map ? row * 13 : 0; i < (map ? row * 14 : out.size()); i += all ? 1 : 192)
        out[i] = out[i] * 1.001F + 0.01F;
    };
  };
  EXPECT_NE(cause_of(last_of(kernel_named("layernorm"), spoilt(false))), "function");
  EXPECT_EQ(cause_of(last_of(kernel_named("layernorm"), spoilt(true))), "function");
}

// The host, with its rounding mode set in each run.
class RoundsTowardsZero : public Device {
 public:
  RoundsTowardsZero() { facts_ = real_->facts(); }
  void build(const std::vector<const Kernel*>& kernels, const std::string& options) override {
    real_->build(kernels, options);
  }
  void load(const Plan& plan, const std::vector<Array>& inputs) override { real_->load(plan, inputs); }
  void poison() override { real_->poison(); }
  RunTime run(int times) override {
    std::fesetround(FE_TOWARDZERO);
    const RunTime time = real_->run(times);
    std::fesetround(FE_TONEAREST);
    return time;
  }
  Contents read(int buffer) override { return real_->read(buffer); }
  void send(int input, const Array& array) override { real_->send(input, array); }

 private:
  std::unique_ptr<Device> real_ = open_host({});
};

TEST(ClassifyRun, NamesARoundingModeThatStuck) {
  for (const char* name : {"fp-probe", "triad"}) {
    Snapshot seen;
    const Reporter reporter{.partial_result = [&](const Snapshot& part) { seen = part; },
                            .step = [](const std::string&) {}};
    RoundsTowardsZero device;
    // Small enough for one thread, whose mode it is.
    verify_on(device, {&kernel_named(name)}, {.effort = Effort::tiny, .precisions = {Precision::fp32}}, reporter);
    EXPECT_EQ(cause_of(seen.compute.get()->back()), "rounding-mode") << name << "\n" << describe(seen);
  }
}

// What each kernel must see: one element of its output, drawn by the kernel's name, off by 2^-20 in every launch.
class OneElement : public testing::TestWithParam<const char*> {};

TEST_P(OneElement, IsSeenAFewRoundingsOff) {
  const Kernel& kernel = kernel_named(GetParam());
  const Problem problem{.precision = Precision::fp32, .size = kernel.sizes(Precision::fp32, Effort::tiny).back()};
  const int output = kernel.plan(problem, Variant::host, {}).outputs.front();
  const auto off = [&](const Step&, int buffer, std::span<std::byte> bytes) {
    if (buffer != output) return;
    const std::span<float> all = floats(bytes);
    std::size_t at = std::hash<std::string_view>()(kernel.name) % all.size() / 2;
    while (all[at] == 0) at = (at + 1) % all.size();
    all[at] *= 1 + 0x1p-20F;
  };
  const auto device = open_host({}, off);
  device->build({&kernel}, "");
  EXPECT_FALSE(run_problem(*device, kernel, problem, Variant::host, 3, [](const std::string&) {}).right());
  const auto healthy = open_host({});
  healthy->build({&kernel}, "");
  EXPECT_TRUE(run_problem(*healthy, kernel, problem, Variant::host, 3, [](const std::string&) {}).right());
}

INSTANTIATE_TEST_SUITE_P(Each, OneElement,
                         testing::Values("triad", "reduce", "dot", "gemm", "gemm-exact", "gemv", "conv2d", "layernorm",
                                         "scan", "float-atomics"));

TEST(MovedRows, ShowAPlaceThatIsOffByLessThanAnyBound) {
  for (const char* name : {"softmax", "layernorm", "lstm", "fft-butterfly", "map"}) {
    const Kernel& kernel = kernel_named(name);
    const Problem problem{.precision = Precision::fp32, .size = kernel.sizes(Precision::fp32, Effort::quick).back()};
    const int output = kernel.plan(problem, Variant::host, {}).outputs.front();
    const ComputeResult row = last_of(kernel, [&](const Step& step, int buffer, std::span<std::byte> bytes) {
      const bool ours = step.function.find(identifier(name)) != step.function.npos;
      if (ours && buffer == output) floats(bytes)[17] *= 1 + 0x1p-23F;
    });
    EXPECT_TRUE(row.agreement.get()->outcome.is("outside")) << name;
    EXPECT_EQ(cause_of(row), "tile") << name;
    EXPECT_TRUE(row.agreement.get()->confirmed_by.is("moved rows")) << name;
  }
}

// Behind it stand more rows, then.
TEST(MovedRows, ShowAPlaceInTheLastRow) {
  for (const char* name : {"softmax", "layernorm", "lstm", "fft-butterfly"}) {
    const Kernel& kernel = kernel_named(name);
    const Problem problem{.precision = Precision::fp32, .size = kernel.sizes(Precision::fp32, Effort::quick).back()};
    const Plan plan = kernel.plan(problem, Variant::host, {});
    const std::size_t rows = problem.at(kernel.rows.size),
                      count = plan.buffers[static_cast<std::size_t>(plan.outputs.front())].bytes / sizeof(float);
    const ComputeResult row = last_of(kernel, [&](const Step& step, int buffer, std::span<std::byte> bytes) {
      const bool ours = step.function.find(identifier(name)) != step.function.npos;
      if (ours && buffer == plan.outputs.front()) floats(bytes)[count - count / rows / 2 + 1] *= 1 + 0x1p-22F;
    });
    EXPECT_TRUE(row.agreement.get()->outcome.is("outside")) << name;
    EXPECT_TRUE(row.agreement.get()->confirmed_by.is("moved rows")) << name;
  }
}

// A sum that is off by more than chance explains and less than the worst case, unless it is whole; `always`, or only in
// the first three launches.
ProblemRun sum_off_by_chance(bool always) {
  const Kernel& kernel = kernel_named("reduce");
  const Problem problem{.precision = Precision::fp32, .size = {{"n", (1 << 20) + 3}}};
  const Expected expected = kernel.reference(problem, kernel.inputs(problem)).front();
  EXPECT_LT(expected.probable.front(), expected.bound.front() / 3);
  int launches = 0;
  const auto device = open_host({}, [&](const Step& step, int buffer, std::span<std::byte> bytes) {
    if (buffer != 2 || !step.function.starts_with("reduce")) return;
    float& sum = floats(bytes)[0];
    if (sum != std::floor(sum) && (always || launches++ < 3))
      sum += static_cast<float>(1.5 * expected.probable.front());
  });
  device->build({&kernel}, "");
  return run_problem(*device, kernel, problem, Variant::host, 3, [](const std::string&) {});
}

TEST(ProbableBound, DecidesWhereOtherInputsShowTheSame) {
  const ProblemRun always = sum_off_by_chance(true);
  EXPECT_FALSE(always.right());
  EXPECT_TRUE(always.improbable);
  EXPECT_TRUE(sum_off_by_chance(false).right());
}

TEST(ProbableBound, IsNotExcusedByABuildThatIsAsFarOff) {
  const Kernel& kernel = kernel_named("reduce");
  Snapshot seen;
  const Reporter reporter{.partial_result = [&](const Snapshot& part) { seen = part; },
                          .step = [](const std::string&) {}};
  const auto off = [](const Step&, int buffer, std::span<std::byte> bytes) {
    if (buffer == 2 && floats(bytes)[0] != std::floor(floats(bytes)[0])) floats(bytes)[0] += 20.5F;
  };
  verify_on(*open_host({}, off), {&kernel}, {.precisions = {Precision::fp32}, .size = (1 << 20) + 3}, reporter);
  const Agreement& agreement = *seen.compute.get()->back().agreement.get();
  EXPECT_TRUE(agreement.outcome.is("outside")) << describe(seen);
  EXPECT_TRUE(agreement.bound.is("probable"));
  EXPECT_FALSE(agreement.cause.is("miscompiled"));
}

// One wrong element of a product of 2048^3, by its last bits: whole numbers show it where no whole reference is
// computed.
TEST(LargeProducts, ShowOneElementThatIsOffInItsLastBits) {
  const Kernel& kernel = kernel_named("gemm");
  const Problem problem{.precision = Precision::fp32, .size = {{"k", 2048}, {"m", 2048}, {"n", 2048}}};
  bool faulty = false;
  const auto device = open_host({}, [&](const Step&, int buffer, std::span<std::byte> bytes) {
    if (buffer == 2 && faulty) floats(bytes)[1234567] *= 1 + 0x1p-22F;
  });
  device->build({&kernel}, "");
  const auto right = [&] {
    return run_problem(*device, kernel, problem, Variant::host, 2, [](const std::string&) {}).right();
  };
  EXPECT_TRUE(right());
  faulty = true;
  EXPECT_FALSE(right());
}

// Whatever the seed: outputs that are mostly zero would leave a doubt.
TEST(SmallSizes, LeaveNoDoubtInAHealthyHost) {
  for (const Kernel& kernel : all_kernels()) {
    for (const Precision precision : kernel.precisions) {
      if (precision == Precision::fp16) continue;  // the host has none
      const auto device = open_host({});
      device->build({&kernel}, "");
      for (const Sizes& size : kernel.sizes(precision, Effort::full)) {
        if (kernel.work({.precision = precision, .size = size}).bytes > 20'000) continue;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
          const Problem problem{.precision = precision, .size = size, .seed = seed};
          for (const Comparison& one :
               run_problem(*device, kernel, problem, Variant::host, 1, [](const std::string&) {}).comparisons)
            EXPECT_FALSE(one.agreement.outcome.is("not-trustworthy"))
                << problem_name(kernel, problem) << " seed " << seed;
        }
      }
    }
  }
}

TEST(OddSizes, LeaveNoDoubtInAHealthyHost) {
  for (const std::int64_t size : {5, 17, 129}) {
    for (const char* name : {"histogram", "conv2d", "scan", "reduce", "layernorm"}) {
      Snapshot seen;
      const Reporter reporter{.partial_result = [&](const Snapshot& part) { seen = part; },
                              .step = [](const std::string&) {}};
      verify_on(*open_host({}), {&kernel_named(name)}, {.effort = Effort::quick, .size = size}, reporter);
      expect_correct(seen);
    }
  }
}

TEST(ClassifyRun, TellsAZerosSignFromATurnedBit) {
  const Array right(Precision::fp32, {1, -0.0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -0.0});
  Array got = right;
  got.set_bits(1, 0);
  const Expected expected{.precision = Precision::fp32, .exact = right};
  const Comparison comparison = compare(got, expected);
  ASSERT_FALSE(comparison.right());
  const Operation operation{};
  EXPECT_EQ(classify({operation, got, expected, comparison}).cause(), "zero-sign");
}

}  // namespace
}  // namespace envdoctor::kernels::classify_run_test
