#include "kernels/core/compare_results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "kernels/classify/error_patterns.h"
#include "kernels/core/random.h"

namespace envdoctor::kernels::test {
namespace {

constexpr double bound = 0x1p-20;

// 64 rows of 32, with a bound of 8 to 16 ulp each.
struct Sample {
  Expected expected{};
  Array got{};
  std::int64_t columns = 32;
};

Sample sample(Precision precision = Precision::fp32) {
  Sample s;
  s.got = position_coded(precision, 2048, 7, 0);
  s.expected.precision = precision;
  for (std::size_t i = 0; i < s.got.count(); ++i) {
    s.expected.value.push_back(s.got.value(i));
    s.expected.bound.push_back(bound);
  }
  return s;
}

Comparison result_of(const Sample& s) { return compare(s.got, s.expected, s.columns); }
std::string outcome(const Sample& s) { return *result_of(s).agreement.outcome.get(); }
std::string pattern(const Sample& s) { return *result_of(s).agreement.pattern.get(); }

// One float result against one value.
std::string outcome_of_one(double got, double value, double limit = 0, Precision precision = Precision::fp32) {
  Array array(precision, 1);
  array.set(0, got);
  return *compare(array, {.precision = precision, .value = {value}, .bound = {limit}}).agreement.outcome.get();
}

TEST(Comparison, TellsTheSameBitsFromWithinTheBoundFromOutside) {
  Sample s = sample();
  EXPECT_EQ(outcome(s), "same-bits");
  s.got.set(5, s.got.value(5) + bound);
  EXPECT_EQ(outcome(s), "within-bound");
  EXPECT_EQ(*result_of(s).agreement.error_over_bound.get(), 1);
  s.got.set(5, s.got.value(5) + bound);
  EXPECT_EQ(outcome(s), "outside");
  EXPECT_EQ(*result_of(s).agreement.wrong.get(), 1);
}

TEST(Comparison, CountsInUlps) {
  Sample s = sample();
  s.expected.value[0] = 1.5;
  s.got.set(0, 1.5 + 3 * 0x1p-23);
  EXPECT_EQ(*result_of(s).agreement.max_ulp.get(), 3);
  const std::vector<std::int64_t> histogram = *result_of(s).agreement.ulp_histogram.get();
  EXPECT_EQ(histogram[0], 2047);
  EXPECT_EQ(histogram[3], 1);  // above 2, up to 4
}

TEST(Comparison, NeverLetsANanPass) {
  Sample s = sample();
  s.got.set(9, std::numeric_limits<double>::quiet_NaN());
  for (double& b : s.expected.bound) b = HUGE_VAL;
  EXPECT_EQ(outcome(s), "outside");
  EXPECT_EQ(result_of(s).not_numbers, 1U);
  EXPECT_EQ(outcome_of_one(1, NAN), "outside");
  EXPECT_EQ(outcome_of_one(NAN, NAN), "same-bits");
}

TEST(Comparison, TakesAnInfinityOnlyWhereTheAnswerMayOverflow) {
  const double largest = std::numeric_limits<float>::max();
  EXPECT_EQ(outcome_of_one(INFINITY, 1e30, 1e29), "outside");
  EXPECT_EQ(outcome_of_one(INFINITY, largest, 0), "outside");
  EXPECT_EQ(outcome_of_one(INFINITY, largest, 0x1p104), "within-bound");
  EXPECT_EQ(outcome_of_one(INFINITY, 1e39), "same-bits");
  EXPECT_EQ(outcome_of_one(-INFINITY, 1e39, 1e39), "outside");
  EXPECT_EQ(outcome_of_one(1, INFINITY, 1e39), "outside");
}

TEST(Comparison, AsksForTheCorrectlyRoundedValueWhereTheBoundIsZero) {
  EXPECT_EQ(outcome_of_one(static_cast<float>(1.0 / 3), 1.0 / 3), "same-bits");
  EXPECT_EQ(outcome_of_one(std::nextafter(static_cast<float>(1.0 / 3), 1.0F), 1.0 / 3), "outside");
}

TEST(Comparison, TakesZeroForASubnormalResultButNotInDoublePrecision) {
  EXPECT_EQ(outcome_of_one(0, 0x1p-130), "within-bound");
  EXPECT_EQ(outcome_of_one(0, 0x1p-125), "outside");
  EXPECT_EQ(outcome_of_one(0, 0x1p-1030, 0, Precision::fp64), "outside");
  EXPECT_EQ(outcome_of_one(0x1p-1030, 0x1p-1030, 0, Precision::fp64), "same-bits");
}

TEST(Comparison, CountsWhatWasFlushed) {
  Sample s = sample();
  s.expected.value[3] = 0x1p-130;
  s.expected.bound[3] = 0;
  s.got.set(3, -0.0);
  EXPECT_EQ(result_of(s).flushed, 1U);
  EXPECT_TRUE(result_of(s).right());
}

TEST(Comparison, TakesTheResultForAFlushedOperand) {
  Expected reciprocal{.value = {0x1p127}, .bound = {0x1p104}};
  Array got(Precision::fp32, 1);
  got.set(0, -INFINITY);
  EXPECT_FALSE(compare(got, reciprocal).right());
  reciprocal.flushed = {INFINITY};
  EXPECT_TRUE(compare(got, reciprocal).right());
  got.set(0, 1);
  EXPECT_FALSE(compare(got, reciprocal).right());
}

TEST(Comparison, TakesEitherOfTwoExactPatterns) {
  Array one(Precision::fp32, 1), other(Precision::fp32, 1), got(Precision::fp32, 1);
  one.set(0, 1);
  other.set(0, 1 + 0x1p-23);
  const Expected expected{.exact = one, .also_exact = other};
  got.set(0, 1 + 0x1p-23);
  EXPECT_EQ(*compare(got, expected).agreement.outcome.get(), "within-bound");
  got.set(0, 1 + 0x1p-22);
  EXPECT_EQ(*compare(got, expected).agreement.outcome.get(), "outside");
}

TEST(Comparison, WantsWholeNumbersExactly) {
  const Array right = position_coded(Precision::uint32, 64, 1, 0);
  Array got = right;
  EXPECT_EQ(*compare(got, {.precision = Precision::uint32, .exact = right}).agreement.outcome.get(), "same-bits");
  got.set_bits(3, got.bits(3) + 1);
  EXPECT_EQ(*compare(got, {.precision = Precision::uint32, .exact = right}).agreement.outcome.get(), "outside");
}

TEST(Comparison, DoesNotTrustARunOfZerosOrOfOneValue) {
  for (const double value : {0.0, 3.0}) {
    Sample s = sample();
    for (std::size_t i = 0; i < 1100; ++i) {
      s.expected.value[i] = value;
      s.got.set(i, value);
    }
    EXPECT_EQ(outcome(s), "not-trustworthy");
    s.got.set(2000, 9);
    EXPECT_EQ(outcome(s), "outside");
  }
  EXPECT_EQ(*compare(Array(Precision::fp32, 0), {}).agreement.outcome.get(), "not-trustworthy");
}

TEST(Comparison, IsOutsideWhereShapeOrPrecisionDiffer) {
  EXPECT_EQ(*compare(Array(Precision::fp32, 3), {.value = {1, 2}}).agreement.outcome.get(), "outside");
  EXPECT_EQ(*compare(Array(Precision::fp64, 2), {.value = {1, 2}}).agreement.outcome.get(), "outside");
}

TEST(Comparison, ShowsEightOfTheWrongElementsInHex) {
  Sample s = sample();
  for (std::size_t i = 0; i < 100; ++i) s.got.set(i * 7, 5);
  const std::vector<ComputeSample> samples = *result_of(s).agreement.samples.get();
  ASSERT_EQ(samples.size(), 8U);
  EXPECT_EQ(*samples.front().got.get(), "0x40a00000");
  EXPECT_EQ(*samples.back().index.get(), 99 * 7);
}

TEST(Pattern, NamesOneTurnedBit) {
  Sample s = sample();
  s.got.set_bits(70, s.got.bits(70) ^ 1U << 20);
  EXPECT_EQ(pattern(s), "1 isolated word with one bit flipped (bit 20), first row 2, column 6");
}

TEST(Pattern, TakesManyTurnedBitsForMoreThanMemory) {
  Sample s = sample();
  for (std::size_t i = 0; i < 100; ++i) s.got.set_bits(i * 20, s.got.bits(i * 20) ^ 1U << (18 + i % 4));
  EXPECT_EQ(pattern(s).find("one bit flipped"), std::string::npos) << pattern(s);
}

TEST(Pattern, NamesATile) {
  Sample s = sample();
  for (std::size_t row = 16; row < 32; ++row) {
    for (std::size_t column = 8; column < 16; ++column)
      s.got.set(row * 32 + column, 7 + 0.01 * static_cast<double>(row * column));
  }
  EXPECT_EQ(pattern(s), "a 16 x 8 tile at row 16, column 8");
}

TEST(Pattern, NamesATailAndColumnsAndALane) {
  Sample tail = sample(), columns = sample(), lane = sample();
  for (std::size_t i = 2040; i < 2048; ++i) tail.got.set(i, 9);
  EXPECT_EQ(pattern(tail), "the last 8 elements from row 63, column 24 on");
  for (std::size_t row = 0; row < 64; ++row) columns.got.set(row * 32 + 31, 9);
  EXPECT_EQ(pattern(columns), "the last 1 columns of every row");
  lane.columns = {};
  for (std::size_t i = 3; i < 2048; i += 8) lane.got.set(i, 9);
  EXPECT_EQ(pattern(lane), "every 8th element, beginning with 3");
}

TEST(Pattern, NamesWhatBelongsToAnotherIndex) {
  Sample s = sample();
  for (std::size_t i = 0; i < 2048; ++i) s.got.set(i, s.expected.value[(i + 32) % 2048]);
  EXPECT_EQ(pattern(s),
            "2048 of 2048 elements hold values of other elements, mostly +32 elements away, first row 0, column 0");
}

// A data line that carries nothing, and words read in the other byte order.
TEST(Pattern, NamesAStuckBitAndReversedBytes) {
  Sample stuck = sample(), reversed = sample();
  for (std::size_t i = 0; i < 2048; ++i) {
    stuck.got.set_bits(i, stuck.got.bits(i) | 1U << 20);
    reversed.got.set_bits(i, __builtin_bswap32(static_cast<std::uint32_t>(reversed.got.bits(i))));
  }
  EXPECT_TRUE(pattern(stuck).starts_with("bit 20 is always set")) << pattern(stuck);
  EXPECT_EQ(pattern(reversed), "2048 of 2048 elements have their bytes in reverse order");
  // Right somewhere without it: not stuck.
  stuck.got.set(9, stuck.expected.value[9]);
  if ((stuck.got.bits(9) & 1U << 20) == 0) EXPECT_FALSE(pattern(stuck).starts_with("bit 20"));
}

// Where results are rounded, and by more than one distance.
TEST(Pattern, NamesOtherIndicesOfRoundedResults) {
  Sample pairs = sample(), mirrored = sample(), noise = sample();
  for (std::size_t i = 0; i < 2048; ++i) {
    const double rounding = 1 + 0x1p-23 * (static_cast<double>(i % 3) - 1);  // up, down, and not at all
    pairs.got.set(i, pairs.expected.value[i ^ 1] * rounding);
    mirrored.got.set(i, mirrored.expected.value[2047 - i] * rounding);
    noise.got.set(i, noise.expected.value[i] + 0.37 * static_cast<double>(i % 7 + 1));
  }
  EXPECT_TRUE(pattern(pairs).starts_with("2048 of 2048 elements hold values of other elements")) << pattern(pairs);
  EXPECT_TRUE(pattern(mirrored).starts_with("2048 of 2048 elements hold values of other")) << pattern(mirrored);
  EXPECT_EQ(pattern(noise), "2048 of 2048 elements, everywhere");
}

TEST(Pattern, NamesWhatWasNeverWritten) {
  Sample s = sample();
  s.got.fill_poison();
  EXPECT_EQ(pattern(s), "2048 of 2048 elements never written, first row 0, column 0");
  EXPECT_EQ(result_of(s).poison, 2048U);
  for (const Precision precision : {Precision::fp16, Precision::fp32, Precision::fp64}) {
    Array poisoned(precision, 4);
    poisoned.fill_poison();
    for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(poisoned.is_poison(i) && std::isnan(poisoned.value(i)));
  }
}

TEST(Pattern, NamesZerosAndEverythingElse) {
  Sample zeros = sample(), all = sample();
  for (std::size_t i = 0; i < 1500; i += 3) zeros.got.set(i, 0);
  EXPECT_EQ(pattern(zeros), "500 of 2048 elements are zero");
  for (std::size_t i = 0; i < 2048; ++i) all.got.set(i, all.got.value(i) * 1.1);
  EXPECT_EQ(pattern(all), "2048 of 2048 elements, everywhere");
}

TEST(Pattern, CallsNothingZeroThatIsZeroInPart) {
  Sample one = sample(), most = sample();
  one.got.set(1000, 0);
  EXPECT_EQ(pattern(one).find("zero"), std::string::npos) << pattern(one);
  for (std::size_t i = 0; i < 1500; i += 3) most.got.set(i, i % 15 == 0 ? 100 + static_cast<double>(i * i % 77) : 0);
  EXPECT_EQ(pattern(most).find("zero"), std::string::npos) << pattern(most);
}

TEST(Ulp, IsTheGapAroundTheExactValue) {
  EXPECT_EQ(ulp(Precision::fp32, 1.5), 0x1p-23);
  EXPECT_EQ(ulp(Precision::fp32, 1), 0x1p-24);
  EXPECT_EQ(ulp(Precision::fp32, 1, 1e-20), 0x1p-23);
  EXPECT_EQ(ulp(Precision::fp32, 1e-40), 0x1p-149);
  EXPECT_EQ(ulp(Precision::fp64, 3), 0x1p-51);
  EXPECT_EQ(ulps_off(Precision::fp32, 2 + 0x1p-22, 2 + 0x1p-23), 0.5);
}

TEST(Rounding, IsToNearestEvenInEveryPrecision) {
  EXPECT_EQ(rounded_bits(Precision::fp16, 1 + 0x1p-11), 0x3c00U);
  EXPECT_EQ(rounded_bits(Precision::fp16, 1 + 0x1p-11, 1e-12), 0x3c01U);
  EXPECT_EQ(rounded_bits(Precision::fp16, 65520), 0x7c00U);
  EXPECT_EQ(rounded_bits(Precision::fp16, 0x1p-24), 1U);
  EXPECT_EQ(rounded_bits(Precision::fp16, 3), 0x4200U);
  EXPECT_EQ(rounded_bits(Precision::fp16, -0.5), 0xb800U);
  EXPECT_EQ(rounded_bits(Precision::fp32, -1e39), 0xff800000U);
  EXPECT_EQ(rounded_bits(Precision::fp32, -0.0), 0x80000000U);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const double x = std::ldexp(normal(3, 0, i), static_cast<int>(i % 300) - 150);
    const auto as_float = static_cast<float>(x);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &as_float, 4);
    ASSERT_EQ(rounded_bits(Precision::fp32, x), bits) << x;
  }
}

TEST(Poison, RunsOnFromABufferOfAnySizeIntoItsGuardBand) {
  for (const std::size_t size : {6, 8, 9}) {
    std::vector<std::byte> whole(size + 64);
    fill_poison(whole, 0);
    const std::span<std::byte> guard = std::span(whole).subspan(size);
    EXPECT_TRUE(is_poison(guard, size));
    fill_poison(guard, size);
    EXPECT_TRUE(is_poison(whole, 0));
    guard.front() ^= std::byte{1};
    EXPECT_FALSE(is_poison(guard, size));
  }
}

TEST(HalfPrecision, GivesEveryNumberBackAsItWas) {
  Array half(Precision::fp16, 1);
  for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
    half.set_bits(0, bits);
    const double value = half.value(0);
    if (std::isnan(value)) continue;
    half.set(0, value);
    ASSERT_EQ(half.bits(0), bits) << value;
  }
  half.set_bits(0, 0x4200);
  EXPECT_EQ(half.value(0), 3);
}

}  // namespace
}  // namespace envdoctor::kernels::test
