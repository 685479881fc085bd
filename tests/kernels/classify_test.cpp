#include "kernels/classify/classify.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/classify/replay.h"
#include "kernels/core/bounds.h"
#include "tests/support/sanitized.h"
#include "tests/support/simulated_arithmetic.h"

namespace envdoctor::kernels::classify_test {
namespace {

struct Sample {
  Operation operation{};
  Array got{};
  Expected expected{};
};

Sample run_in(const Arithmetic& arithmetic, std::int64_t k, std::uint64_t seed, std::size_t count) {
  Sample run{.operation = dots_of(k, seed), .got = Array(Precision::fp32, count)};
  for (std::size_t i = 0; i < count; ++i) {
    const Terms terms = run.operation.terms(i);
    double exact = 0, sizes = 0;
    for (std::size_t p = 0; p < terms.a.size(); ++p) {
      exact += terms.a[p] * terms.b[p];
      sizes += std::fabs(terms.a[p] * terms.b[p]);
    }
    run.expected.value.push_back(exact);
    run.expected.bound.push_back(dot_bound(static_cast<double>(k), static_cast<double>(k), sizes, Precision::fp32));
    run.got.set(i, dot_in(arithmetic, terms));
  }
  return run;
}

Classification classified(const Sample& run, const Experiments& experiments = {},
                          std::vector<const Array*> repeats = {}) {
  const Comparison comparison = compare(run.got, run.expected);
  return classify({run.operation, run.got, run.expected, comparison, std::move(repeats)}, experiments);
}

constexpr std::uint64_t seeds = sanitized ? 100 : 1000;

// Ten arithmetics, each on a thousand seeds, lengths from 64 to 1024: every one by its name, and plain fp32 never
// named.
TEST(Classify, TellsNarrowArithmeticsApartForAThousandSeeds) {
  constexpr std::array<std::int64_t, 6> lengths{64, 100, 128, 256, 512, 1024};
  int misnamed = 0;
  for (const Arithmetic& arithmetic : all_arithmetics()) {
    const MeasuredPrecision probed = measured(arithmetic);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const std::int64_t k = lengths[seed % lengths.size()];
      const Classification named = classified(run_in(arithmetic, k, seed, 16), {.measured = probed});
      misnamed += named.cause() == arithmetic.cause ? 0 : 1;
      EXPECT_EQ(named.cause(), arithmetic.cause) << "seed " << seed << ", k " << k << ": " << named.text;
    }
  }
  EXPECT_EQ(misnamed, 0);
}

// fp16 has 11 bits: results of 12 are some other arithmetic.
TEST(Classify, TakesElevenBitsForHalfPrecisionAndTwelveForNone) {
  for (const int bits : {11, 12}) {
    Sample run = run_in(all_arithmetics().front(), 256, 5, 64);
    for (std::size_t i = 0; i < 64; ++i)
      run.got.set(i, rounded_to_bits(run.expected.value[i], bits, Rounding::nearest));
    EXPECT_EQ(classified(run).cause() == "fp16-accumulator", bits == 11) << bits;
  }
}

// One factor is one factor: within 1e-4, not within a percent.
TEST(Classify, CallsNothingScaledWhoseFactorsDiffer) {
  Sample same = run_in(all_arithmetics().front(), 64, 5, 64), other = same;
  for (std::size_t i = 0; i < 64; ++i) {
    same.got.set(i, same.expected.value[i] * 1.25);
    other.got.set(i, other.expected.value[i] * (1.25 + 0.002 * static_cast<double>(i % 5)));
  }
  EXPECT_EQ(classified(same).cause(), "scaled");
  EXPECT_NE(classified(other).cause(), "scaled");
}

// A wrong element among plain ones, as a library's fault would leave it.
TEST(Classify, BlamesTheLibraryWithoutWhichItIsRight) {
  Sample run = run_in(all_arithmetics().front(), 64, 5, 64);
  for (std::size_t i = 0; i < 64; ++i) run.got.set(i, run.expected.value[i] * 1.5);
  Experiments experiments;
  experiments.without = {{WrongResult::onednn, "right without oneDNN", [] { return std::optional(false); }},
                         {WrongResult::cudnn, "right without cuDNN", [] { return std::optional(true); }}};
  const Classification named = classified(run, experiments);
  EXPECT_EQ(named.cause(), "cudnn");
  EXPECT_EQ(named.confirmed_by, "switched off");
  experiments.without.pop_back();
  EXPECT_NE(classified(run, experiments).cause(), "onednn");
}

TEST(Classify, TellsWhatItCanWithoutALadder) {
  for (const Arithmetic& arithmetic : all_arithmetics()) {
    const Classification named = classified(run_in(arithmetic, 1024, 5, 64));
    const bool alike = arithmetic.cause == "fp16-inputs" || arithmetic.cause == "tf32-inputs";
    if (alike && named.cause() == "narrow-inputs") continue;  // the two look alike on data of size 1
    EXPECT_EQ(named.cause(), arithmetic.cause);
  }
}

TEST(Classify, SaysWhatConfirmedIt) {
  const Arithmetic tf32 = all_arithmetics()[2];
  const Classification named = classified(run_in(tf32, 256, 1, 64), {.measured = measured(tf32)});
  EXPECT_EQ(named.text, "TF32 inputs, rounded to nearest");
  EXPECT_EQ(named.confirmed_by, "replay, precision probes");
}

TEST(PrecisionProbes, ReadsTheWidthOfInputsAndSums) {
  const auto arithmetics = all_arithmetics();
  EXPECT_TRUE(measured(arithmetics[0]).full(Precision::fp32));
  EXPECT_EQ(text(measured(arithmetics[2])), "11-bit inputs, 24-bit sums, to nearest");
  EXPECT_EQ(text(measured(arithmetics[5])), "8-bit inputs, 24-bit sums, to nearest");
  EXPECT_EQ(text(measured(arithmetics[7])), "11-bit inputs, 24-bit sums, to nearest, fp16's range");
  EXPECT_EQ(measured(arithmetics[8]).accumulator_bits, 11);
  EXPECT_EQ(text(measured(arithmetics[9])), "24-bit inputs, 24-bit sums, truncated");
  EXPECT_FALSE(measured_precision(Precision::fp32, std::vector<double>(3)).has_value());
}

TEST(PrecisionProbes, ReadsDoublePrecisionToo) {
  Arithmetic twice{.cause = "", .sum = [](double x) { return x; }};
  EXPECT_TRUE(measured(twice, Precision::fp64).full(Precision::fp64));
  EXPECT_EQ(measured(Arithmetic{}, Precision::fp64).input_bits, 24);
}

TEST(Bisection, FindsTheLargestSizeThatIsRight) {
  const auto right_at = [](std::int64_t n) { return std::optional(n <= 65535); };
  EXPECT_EQ(largest_right(1, 1 << 20, right_at), 65535);
  EXPECT_EQ(largest_right(1, 65535, right_at), std::nullopt);  // nothing wrong there
}

TEST(Bisection, DoesNotTakeATailBugForALimit) {
  EXPECT_EQ(largest_right(1, 1000, [](std::int64_t n) { return std::optional(n < 16 || n % 16 == 0); }), std::nullopt);
}

TEST(Bisection, GivesUpWhereRunsAnswerNothing) {
  EXPECT_EQ(largest_right(1, 100, [](std::int64_t) { return std::optional<bool>(); }), std::nullopt);
  int runs = 0;
  EXPECT_EQ(largest_right(
                1, 1 << 30, [&](std::int64_t n) { return ++runs, std::optional(n < 77); }, 10),
            std::nullopt);
  EXPECT_LE(runs, 10);
}

// A run that is right, then spoilt.
struct Fault : testing::Test {
  Sample run = run_in({}, 64, 3, 1024);
  void SetUp() override { run.operation.columns = 32; }
  Classification named(const Experiments& experiments = {}, std::vector<const Array*> repeats = {}) {
    return classified(run, experiments, std::move(repeats));
  }
};

TEST_F(Fault, NothingIsNamedWhereNothingIsWrong) { EXPECT_EQ(named().cause(), ""); }

TEST_F(Fault, ATurnedBitIsABitFlip) {
  run.got.set_bits(100, run.got.bits(100) ^ 1U << 22);
  EXPECT_EQ(named().cause(), "bit-flip");
}

TEST_F(Fault, ABitThatTurnsOnlySometimesIsABitFlipToo) {
  Array again = run.got;
  again.set_bits(100, again.bits(100) ^ 1U);
  const Classification name = named({}, {&again});
  EXPECT_EQ(name.cause(), "bit-flip");
  EXPECT_EQ(name.confirmed_by, "repeat");
}

TEST_F(Fault, RunsThatDifferAreNondeterministic) {
  Array again = run.got;
  for (std::size_t i = 0; i < 300; ++i) again.set(i * 3, again.value(i * 3) * (1 + 0x1p-22));
  EXPECT_EQ(named({}, {&again}).cause(), "nondeterministic");
  run.operation.order_free = true;
  EXPECT_EQ(named({}, {&again}).cause(), "order");
}

TEST_F(Fault, AZeroedTileIsATile) {
  for (std::size_t row = 0; row < 16; ++row) {
    for (std::size_t column = 8; column < 16; ++column) run.got.set(row * 32 + column, 0);
  }
  EXPECT_EQ(named().cause(), "tile");
}

TEST_F(Fault, PoisonMeansThatTheKernelDidNotRunInFull) {
  run.got.fill_poison();
  EXPECT_EQ(named().cause(), "not-written");
}

TEST_F(Fault, AChangedGuardIsOutOfBounds) {
  const Comparison comparison = compare(run.got, run.expected);
  EXPECT_EQ(classify({.operation = run.operation,
                      .got = run.got,
                      .expected = run.expected,
                      .comparison = comparison,
                      .guard_changed = true})
                .cause(),
            "out-of-bounds");
}

TEST_F(Fault, ASizeLimitIsBisected) {
  for (std::size_t i = 0; i < 1024; ++i) run.got.set(i, run.got.value(i) / 2);
  const Classification name =
      named({.right_at = [](std::int64_t n) { return std::optional(n <= 700); }, .small_size = 1, .this_size = 1024});
  EXPECT_EQ(name.cause(), "size-limit");
  EXPECT_EQ(name.limit, 700);
}

TEST_F(Fault, ResultsThatAreRightWithoutOptimisationAreMiscompiled) {
  for (std::size_t i = 0; i < 1024; ++i) run.got.set(i, run.got.value(i) / 2);
  EXPECT_EQ(named({.right_without_optimisation = [] { return std::optional(true); }}).cause(), "miscompiled");
  EXPECT_EQ(named({.right_without_optimisation = [] { return std::optional(false); }}).cause(), "scaled");
}

TEST_F(Fault, ACalculationThatTheCpuGetsAsWrongIsUnstable) {
  for (std::size_t i = 0; i < 1024; ++i) run.got.set(i, run.got.value(i) / 2);
  const Comparison as_bad = compare(run.got, run.expected);
  EXPECT_EQ(named({.twin = [&] { return std::optional(as_bad); }}).cause(), "unstable");
  EXPECT_EQ(named({.twin = [] { return std::optional(Comparison{}); }}).cause(), "scaled");
}

TEST_F(Fault, ShiftedRowsBelongToAnotherIndex) {
  const Array right = run.got;
  for (std::size_t i = 0; i < 1024; ++i) run.got.set_bits(i, right.bits((i + 32) % 1024));
  // As exact values, so that bits identify elements.
  run.expected = {.exact = right};
  EXPECT_EQ(named().cause(), "other-index");
}

TEST_F(Fault, ResultsThatAreOneFactorOffAreScaled) {
  for (std::size_t i = 0; i < 1024; ++i) run.got.set(i, run.got.value(i) * 1.25);
  EXPECT_EQ(named().cause(), "scaled");
  EXPECT_NE(named().text.find("1.25 times"), std::string::npos) << named().text;
  for (std::size_t i = 0; i < 1024; i += 5) run.got.set(i, run.got.value(i) * 1.5);
  EXPECT_EQ(named().cause(), "unnamed");
}

TEST_F(Fault, ANumberThatIsNoneAndResultsThatAreZeroAreSaidSo) {
  const Array right = run.got;
  run.got.set(77, NAN);
  EXPECT_EQ(named().cause(), "not-a-number");
  run.got.set(78, 1e9);
  EXPECT_EQ(named().cause(), "unnamed");
  for (std::size_t i = 0; i < 1024; ++i) run.got.set(i, i % 3 == 0 ? right.value(i) : 0);
  EXPECT_EQ(named().cause(), "zeros");
}

TEST_F(Fault, SumsThatLackATermAreSaidToLackIt) {
  for (const bool first : {true, false}) {
    for (std::size_t i = 0; i < 1024; ++i) {
      const Terms terms = run.operation.terms(i);
      float sum = 0;
      for (std::size_t p = first ? 1 : 0; p + (first ? 0 : 1) < terms.a.size(); ++p)
        sum += static_cast<float>(terms.a[p]) * static_cast<float>(terms.b[p]);
      run.got.set(i, sum);
    }
    EXPECT_EQ(named().cause(), "lost-terms");
    EXPECT_NE(named().text.find(first ? "first" : "last"), std::string::npos) << named().text;
  }
}

// Wrong by no one factor.
void scramble(Array& got) {
  for (std::size_t i = 0; i < got.count(); ++i) got.set(i, got.value(i) + 100 + static_cast<double>(i % 7));
}

TEST_F(Fault, ItemsThatDontWaitAreFoundByLeavingThemAlone) {
  scramble(run.got);
  EXPECT_EQ(named({.right_in_groups_of_one = [] { return std::optional(true); }}).cause(), "barrier");
  EXPECT_EQ(named({.right_in_groups_of_one = [] { return std::optional(false); }}).cause(), "unnamed");
}

TEST_F(Fault, AnotherCalculationIsWrongAtEverySizeInEveryRunAndEveryBuild) {
  scramble(run.got);
  const auto wrong = [] { return std::optional(false); };
  Experiments all{.right_at = [](std::int64_t) { return std::optional(false); },
                  .small_size = 1,
                  .this_size = 1024,
                  .right_without_optimisation = wrong};
  EXPECT_EQ(named(all).cause(), "other-calculation");
  Array again = run.got;
  for (std::size_t i = 0; i < 300; ++i) again.set(i * 3, 5);
  EXPECT_EQ(named(all, {&again}).cause(), "nondeterministic");
  all.right_without_optimisation = {};
  EXPECT_EQ(named(all).cause(), "unnamed");  // not tried, so not known
}

TEST_F(Fault, FlushedResultsAreNamedAndRight) {
  run.expected.value[7] = 0x1p-140;
  run.expected.bound[7] = 0;
  run.got.set(7, 0);
  run.operation.terms = {};
  EXPECT_EQ(named().cause(), "flush-to-zero");
}

TEST_F(Fault, FastMathIsNamedFromTheSingleOperations) {
  for (std::size_t i = 0; i < 1024; ++i) run.got.set(i, run.got.value(i) * 1.01);
  FpMode mode;
  mode.fast_math = {"NaN equals itself"};
  // An arithmetic that may be off by 2 % explains it, element by element; one that may not doesn't.
  Expected relaxed = run.expected;
  relaxed.exact.reset();
  relaxed.bound.resize(relaxed.value.size());
  for (std::size_t i = 0; i < relaxed.bound.size(); ++i) relaxed.bound[i] = 0.02 * std::fabs(relaxed.value[i]);
  const auto may_be = [&] { return std::optional(relaxed); };
  EXPECT_EQ(named({.mode = mode, .relaxed = may_be}).cause(), "fast-math");
  relaxed.bound[500] = 0;
  EXPECT_EQ(named({.mode = mode, .relaxed = may_be}).cause(), "scaled");
}

TEST_F(Fault, EvidenceCarriesNameLimitAndPlace) {
  for (std::size_t i = 0; i < 1024; ++i) run.got.set(i, run.got.value(i) / 2);
  const Comparison comparison = compare(run.got, run.expected);
  ComputeResult result{.agreement = comparison.agreement};
  write({WrongResult::size_limit, "right up to 700", "bisection", 700},
        {run.operation, run.got, run.expected, comparison}, result);
  EXPECT_EQ(*result.limit.get(), 700);
  EXPECT_EQ(*result.agreement.get()->cause.get(), "size-limit");
  EXPECT_EQ(*result.agreement.get()->pattern.get(), "right up to 700; 1024 of 1024 elements, everywhere");
}

}  // namespace
}  // namespace envdoctor::kernels::classify_test
