// Each classification's border: the last case that it covers, and the first that it doesn't.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "kernels/classify/classify.h"
#include "kernels/classify/error_patterns.h"
#include "kernels/classify/replay.h"
#include "kernels/core/bounds.h"
#include "kernels/core/product.h"
#include "kernels/core/random.h"
#include "tests/support/simulated_arithmetic.h"

namespace envdoctor::kernels::where_names_end_test {
namespace {

using Places = std::vector<std::size_t>;

Places from_to(std::size_t first, std::size_t last, const std::set<std::size_t>& but = {}, std::size_t step = 1) {
  Places places;
  for (std::size_t i = first; i <= last; i += step) {
    if (!but.contains(i)) places.push_back(i);
  }
  return places;
}

// Rows and columns of a matrix.
Places box(std::size_t columns, std::size_t top, std::size_t height, std::size_t left, std::size_t width,
           std::size_t but = 0) {
  Places places;
  for (std::size_t i = 0; i < height; ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const bool corner = (i == 0 || i + 1 == height) && (j == 0 || j + 1 == width);
      if (!corner && but > 0) {
        --but;
        continue;
      }
      places.push_back((top + i) * columns + left + j);
    }
  }
  return places;
}

// Far apart, at irregular distances.
Places spread_out(std::size_t many, std::size_t step = 9) {
  Places places;
  for (std::size_t i = 0; i < many; ++i) places.push_back(i * step + i % 3);
  return places;
}

struct Sample {
  Expected expected{};
  Array got{};
};

constexpr double bound = 0x1p-20;

Sample sample(std::size_t count) {
  Sample s{Expected::bounded(Precision::fp32, count), Array(Precision::fp32, count)};
  for (std::size_t i = 0; i < count; ++i) {
    s.got.set(i, 1.5 + 0.00103 * static_cast<double>(i));
    s.expected.value[i] = s.got.value(i);
    s.expected.bound[i] = bound;
  }
  return s;
}
double garbage(std::size_t i) { return 50 + 7.3 * static_cast<double>(i) + 0.37 * static_cast<double>(i * i % 11); }

Pattern pattern(std::size_t count, std::int64_t columns, const Places& wrong, std::size_t zeros = 0) {
  Sample s = sample(count);
  for (const std::size_t i : wrong) s.got.set(i, zeros > 0 ? 0 : garbage(i)), zeros -= zeros > 0 ? 1 : 0;
  return pattern_of(s.got, s.expected, wrong, columns);
}
Shape shape(std::size_t count, std::int64_t columns, const Places& wrong, std::size_t zeros = 0) {
  return pattern(count, columns, wrong, zeros).shape;
}

TEST(Border, OfATailAndOfARun) {
  EXPECT_EQ(pattern(100, 0, from_to(75, 99)).text, "the last 25 elements from element 75 on");
  EXPECT_EQ(pattern(100, 0, from_to(74, 99)).text, "all elements from element 74 on");
  EXPECT_EQ(shape(100, 0, from_to(75, 99)), Shape::tail);
  EXPECT_EQ(shape(100, 0, from_to(74, 99)), Shape::from_some_index);
  EXPECT_EQ(shape(100, 0, from_to(80, 99, {85, 90})), Shape::tail);  // nine of ten
  EXPECT_EQ(shape(100, 0, from_to(80, 99, {85, 90, 95})), Shape::scattered);
  EXPECT_EQ(pattern(100, 0, from_to(80, 98)).text, "one run of 19 elements from element 80");
  EXPECT_EQ(shape(100, 0, from_to(20, 69)), Shape::tile);
  EXPECT_EQ(shape(100, 0, from_to(20, 70)), Shape::scattered);
  EXPECT_EQ(shape(100, 0, from_to(20, 39, {25, 30})), Shape::tile);
  EXPECT_EQ(shape(100, 0, from_to(20, 39, {25, 30, 35})), Shape::scattered);
  EXPECT_EQ(shape(100, 0, from_to(20, 23)), Shape::tile);
  EXPECT_EQ(shape(100, 0, from_to(20, 22)), Shape::scattered);
  EXPECT_EQ(shape(100, 1, from_to(20, 29)), Shape::tile);
  EXPECT_EQ(shape(100, 2, from_to(5, 8)), Shape::scattered);  // rows have no runs
  EXPECT_EQ(shape(100, 0, from_to(0, 99)), Shape::all);
  EXPECT_EQ(shape(100, 0, from_to(0, 89)), Shape::all);
  EXPECT_EQ(shape(100, 0, from_to(0, 88)), Shape::scattered);
}

TEST(Border, OfATile) {
  EXPECT_EQ(pattern(100, 10, box(10, 2, 5, 0, 10)).text, "a 5 x 10 tile at row 2, column 0");  // half of all
  EXPECT_EQ(shape(100, 10, box(10, 2, 6, 0, 9)), Shape::scattered);
  EXPECT_EQ(shape(100, 10, box(10, 1, 9, 0, 6)), Shape::scattered);
  EXPECT_EQ(pattern(100, 10, box(10, 2, 2, 4, 2)).text, "a 2 x 2 tile at row 2, column 4");
  EXPECT_EQ(shape(100, 10, box(10, 2, 1, 4, 3)), Shape::scattered);
  EXPECT_EQ(shape(100, 10, box(10, 2, 4, 1, 5, 2)), Shape::tile);
  EXPECT_EQ(shape(100, 10, box(10, 2, 4, 1, 5, 3)), Shape::scattered);
  EXPECT_EQ(shape(100, 2, box(2, 2, 4, 0, 2)), Shape::tile);
  EXPECT_EQ(pattern(100, 10, box(10, 2, 4, 1, 5), 20).text, "a 4 x 5 tile at row 2, column 1, all zero");
}

TEST(Border, OfColumns) {
  EXPECT_EQ(pattern(320, 32, box(32, 0, 10, 0, 8)).text, "8 whole columns, first column 0");  // a quarter
  EXPECT_EQ(shape(320, 32, box(32, 0, 10, 0, 9)), Shape::tile);
  EXPECT_EQ(pattern(320, 32, box(32, 0, 10, 30, 2)).text, "the last 2 columns of every row");
  EXPECT_EQ(pattern(320, 32, box(32, 0, 10, 3, 2)).text, "2 whole columns, first column 3");
  EXPECT_EQ(pattern(64, 32, {29, 31, 61, 63}).text, "2 whole columns, first column 29");
  EXPECT_EQ(shape(64, 32, {3, 35}), Shape::columns);
  EXPECT_EQ(shape(32, 32, from_to(3, 6)), Shape::tile);  // one row has no columns
  EXPECT_EQ(shape(320, 32, from_to(5, 319, {37}, 32)), Shape::columns);
  EXPECT_EQ(shape(320, 32, from_to(5, 319, {37, 69}, 32)), Shape::isolated);
}

TEST(Border, OfLanes) {
  EXPECT_EQ(pattern(256, 0, {5, 69, 133, 197}).text, "every 64th element, beginning with 5");
  EXPECT_EQ(shape(255, 0, {5, 69, 133, 197}), Shape::isolated);
  EXPECT_EQ(shape(256, 0, from_to(3, 255, {11, 43, 99}, 8)), Shape::every_nth);
  EXPECT_EQ(shape(256, 0, from_to(3, 255, {11, 43, 99, 131}, 8)), Shape::scattered);
  EXPECT_EQ(pattern(100, 0, from_to(1, 99, {}, 2)).text, "every 2th element, beginning with 1");
  EXPECT_EQ(pattern(1024, 0, from_to(200, 1023, {}, 256)).text, "every 256th element, beginning with 200");
}

TEST(Border, OfIsolatedElements) {
  EXPECT_EQ(shape(100, 0, spread_out(8)), Shape::isolated);
  EXPECT_EQ(shape(100, 0, spread_out(9)), Shape::scattered);
  EXPECT_EQ(shape(9000, 0, spread_out(9)), Shape::isolated);  // one in a thousand
  EXPECT_EQ(shape(8999, 0, spread_out(9)), Shape::scattered);
  EXPECT_EQ(shape(20, 0, {1, 4, 8, 11, 16}), Shape::isolated);  // a quarter
  EXPECT_EQ(shape(19, 0, {1, 4, 8, 11, 16}), Shape::scattered);
  EXPECT_EQ(shape(100, 0, {3, 4}), Shape::scattered);
  EXPECT_EQ(shape(100, 0, {3, 5}), Shape::isolated);
  EXPECT_EQ(pattern(100, 0, {3}).text, "1 isolated element, first element 3");
}

TEST(Border, OfZeros) {
  EXPECT_EQ(pattern(1000, 0, spread_out(10), 9).text, "10 of 1000 elements are zero");
  EXPECT_EQ(shape(1000, 0, spread_out(10), 8), Shape::scattered);
  EXPECT_EQ(shape(1000, 0, {3, 50}, 2), Shape::zeros);
  EXPECT_EQ(shape(1000, 0, {3}, 1), Shape::isolated);
}

// Words of 32 bits whose value is what they are.
Sample words(std::size_t count) {
  Sample s{{.precision = Precision::uint32, .exact = Array(Precision::uint32, count)}, {}};
  for (std::size_t i = 0; i < count; ++i) s.expected.exact->set_bits(i, (i * 2654435761U & 0xffffff5fU) | 1U << 30);
  s.got = *s.expected.exact;
  return s;
}
Pattern pattern(const Sample& s) {
  Places wrong;
  for (std::size_t i = 0; i < s.got.count(); ++i) {
    if (s.got.bits(i) != s.expected.right_bits(i)) wrong.push_back(i);
  }
  return pattern_of(s.got, s.expected, wrong, 0);
}

TEST(Border, OfOneBit) {
  const auto with = [](std::size_t count, std::size_t flipped) {
    Sample s = words(count);
    for (std::size_t i = 0; i < flipped; ++i) s.got.set_bits(2 * i, s.got.bits(2 * i) ^ 1U << (3 + i));
    return pattern(s).shape == Shape::one_bit;
  };
  EXPECT_TRUE(with(128, 8));
  EXPECT_FALSE(with(127, 8));
  EXPECT_FALSE(with(1000, 9));
  Sample two = words(100);
  two.got.set_bits(50, two.got.bits(50) ^ 3U);
  EXPECT_EQ(pattern(two).shape, Shape::isolated);
  // Of rounded results: not the lowest eight bits, nor an error that is no 64 times the bound.
  const auto turned = [](int bit, double limit) {
    Sample s = sample(100);
    s.expected.bound[40] = limit;
    s.expected.value[40] = 1.5;
    s.got.set(40, 1.5);
    s.got.set_bits(40, s.got.bits(40) ^ std::uint64_t{1} << bit);
    return pattern_of(s.got, s.expected, {40}, 0).shape == Shape::one_bit;
  };
  EXPECT_TRUE(turned(9, 0x1p-20));
  EXPECT_FALSE(turned(8, 0x1p-20));
  EXPECT_TRUE(turned(8, 0x1p-30));
  EXPECT_FALSE(turned(7, 0x1p-40));
  EXPECT_TRUE(turned(31, 0x1p-20));
  // Where nothing is allowed but rounding, the number beside the right one is that and no bit.
  Sample beside = sample(100);
  beside.expected.bound[40] = 0;
  beside.got.set(40, beside.expected.value[40] + 0x1p-23);
  EXPECT_EQ(pattern_of(beside.got, beside.expected, {40}, 0).shape, Shape::isolated);
  Sample without = sample(100);
  without.expected.bound.clear();
  without.got.set_bits(40, without.got.bits(40) ^ 1U << 12);
  EXPECT_EQ(pattern_of(without.got, without.expected, {40}, 0).shape, Shape::one_bit);
}

TEST(Border, OfAStuckBit) {
  const auto stuck = [](std::size_t wrong, bool set) {
    Sample s = words(wrong + 3);
    for (std::size_t i = 0; i < s.got.count(); ++i) {
      const std::uint64_t plain = s.expected.exact->bits(i) & ~std::uint64_t{32};
      s.expected.exact->set_bits(i, (i < wrong) == set ? plain : plain | 32U);
      s.got.set_bits(i, set ? plain | 32U : plain);
    }
    return pattern(s).text;
  };
  EXPECT_EQ(stuck(9, true), "bit 5 is always set, which is wrong in 9 of 12 elements");
  EXPECT_EQ(stuck(9, false), "bit 5 is never set, which is wrong in 9 of 12 elements");
  EXPECT_FALSE(stuck(8, true).starts_with("bit 5 is")) << stuck(8, true);
  for (const std::size_t right : {0, 50, 99}) {  // where it is as it should be
    Sample s = words(100);
    for (std::size_t i = 0; i < 100; ++i) {
      s.expected.exact->set_bits(i, s.expected.exact->bits(i) & ~std::uint64_t{32});
      s.got.set_bits(i, s.expected.exact->bits(i) | (i == right ? 0U : 32U));
    }
    EXPECT_NE(pattern(s).shape, Shape::stuck_bit) << right;
  }
  // Signs that all are lost may be a calculation; of whole numbers they are a bit.
  for (const Precision precision : {Precision::fp32, Precision::int32}) {
    Sample s{{.precision = precision, .exact = Array(precision, 40)}, Array(precision, 40)};
    for (std::size_t i = 0; i < 40; ++i) {
      s.expected.exact->set(i, i % 2 == 0 ? 5.0 + static_cast<double>(i) : -5.0 - static_cast<double>(i));
      s.got.set_bits(i, s.expected.exact->bits(i) & 0x7fffffffU);
    }
    EXPECT_EQ(pattern(s).shape == Shape::stuck_bit, precision == Precision::int32);
  }
  // Of rounded results: what differs in the lowest eight bits is no matter.
  for (const std::uint64_t low : {0x55U, 0xaaU, 0x100U}) {
    Sample s = sample(40);
    Places wrong;
    for (std::size_t i = 0; i < 40; ++i) {
      const std::uint64_t right = s.expected.right_bits(i);
      s.got.set_bits(i, (right | 1U << 14) ^ (i % 2 == 0 ? low : 0));
      if ((right & 1U << 14) == 0) wrong.push_back(i);
    }
    ASSERT_GT(wrong.size(), 8U);
    ASSERT_LT(wrong.size(), 40U);
    const Pattern found = pattern_of(s.got, s.expected, wrong, 0);
    EXPECT_EQ(found.shape == Shape::stuck_bit, low < 0x100) << found.text;
  }
}

TEST(Border, OfReversedBytes) {
  const auto reversed = [](std::size_t wrong) {
    Sample s = words(100);
    for (std::size_t i = 0; i < wrong; ++i)
      s.got.set_bits(9 * i, __builtin_bswap32(static_cast<std::uint32_t>(s.got.bits(9 * i))));
    return pattern(s).shape == Shape::byte_order;
  };
  EXPECT_TRUE(reversed(8));
  EXPECT_FALSE(reversed(7));
}

// `moved` elements with values of others, drawn from `distinct` of them, `near` of them three away; then garbage.
Pattern moved(std::size_t count, std::size_t moved, std::size_t distinct, std::size_t near, std::size_t spoilt) {
  Sample s = words(count);
  for (std::size_t i = 0; i < moved; ++i) {
    const std::size_t from = i < near ? 8 + 4 * i + 3 : count - 1 - 3 * (i % distinct);
    s.got.set_bits(8 + 4 * i, s.expected.exact->bits(from));
  }
  for (std::size_t i = moved; i < moved + spoilt; ++i) s.got.set_bits(8 + 4 * i, 77 * i + 5);
  return pattern(s);
}

TEST(Border, OfValuesOfOtherElements) {
  EXPECT_EQ(moved(1000, 9, 9, 0, 1).shape, Shape::other_index);
  EXPECT_NE(moved(1000, 8, 8, 0, 2).shape, Shape::other_index);
  EXPECT_EQ(moved(1000, 10, 5, 0, 0).shape, Shape::other_index);
  EXPECT_NE(moved(1000, 10, 4, 0, 0).shape, Shape::other_index);
  EXPECT_EQ(moved(1000, 10, 10, 6, 0).text,
            "10 of 1000 elements hold values of other elements, mostly +3 elements away, first element 8");
  EXPECT_EQ(moved(1000, 10, 10, 5, 0).text, "10 of 1000 elements hold values of other elements, first element 8");
  for (const std::size_t count : {7, 8}) {
    Sample swapped = words(count);
    swapped.got.set_bits(1, swapped.expected.exact->bits(4));
    swapped.got.set_bits(4, swapped.expected.exact->bits(1));
    EXPECT_EQ(pattern(swapped).shape == Shape::other_index, count == 8) << count;
  }
  EXPECT_EQ(moved(1000, 1, 1, 0, 0).shape, Shape::isolated);
}

// Results rounded up and down, each from one of so many distances.
TEST(Border, OfDistancesThatAQuarterShares) {
  const auto from = [](std::size_t many, const std::vector<std::size_t>& distances) {
    Sample s = sample(200);
    Places wrong;
    for (std::size_t i = 0; i < many; ++i) {
      const std::size_t at = 3 + 11 * i;
      const double up_or_down = i % 2 == 0 ? 3 * 0x1p-23 : -3 * 0x1p-23;
      s.got.set(at, s.expected.value[at + distances[i % distances.size()]] + up_or_down);
      wrong.push_back(at);
    }
    return pattern_of(s.got, s.expected, wrong, 0).shape == Shape::other_index;
  };
  EXPECT_TRUE(from(8, {1}));
  EXPECT_FALSE(from(7, {1}));
  EXPECT_TRUE(from(8, {1, 2, 4, 7}));
  EXPECT_FALSE(from(16, {1, 2, 4, 7, 11, 17}));
  // Bits of others need no distance in common: nine of ten elements.
  const auto bits_of = [](std::size_t many) {
    Sample s = sample(200);
    Places wrong;
    for (std::size_t i = 0; i < 10; ++i) {
      wrong.push_back(3 + 7 * i);
      s.got.set(wrong.back(), i < many ? s.expected.value[90 + i * i] : garbage(i));
    }
    return pattern_of(s.got, s.expected, wrong, 0).shape == Shape::other_index;
  };
  EXPECT_TRUE(bits_of(10));
  EXPECT_TRUE(bits_of(9));
  EXPECT_FALSE(bits_of(8));
  // Without a bound, half a unit in the last place up or down is right.
  Sample bare = sample(200);
  bare.expected.bound.clear();
  Places moved;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t at = 3 + 11 * i;
    moved.push_back(at);
    bare.got.set(at, bare.expected.value[at + 1] + (i % 2 == 0 ? 0x1p-23 : -0x1p-23));
  }
  EXPECT_EQ(pattern_of(bare.got, bare.expected, moved, 0).shape, Shape::other_index);
  // One number that is right in many places comes from none of them.
  Sample same = sample(200);
  Places wrong;
  for (std::size_t i = 0; i < 16; ++i) wrong.push_back(5 + 12 * i), same.got.set(wrong.back(), same.expected.value[3]);
  EXPECT_NE(pattern_of(same.got, same.expected, wrong, 0).shape, Shape::other_index);
}

TEST(Border, OfTheClassesOfUlps) {
  const std::vector<std::pair<double, std::size_t>> classes = {
      {0, 0},  {1, 1},   {2, 2},    {3, 3},     {4, 3},     {5, 4},     {8, 4},     {16, 5},    {17, 6},  {64, 7},
      {65, 8}, {256, 9}, {512, 10}, {1024, 11}, {1025, 12}, {2048, 12}, {4096, 13}, {4097, 14}, {1e6, 14}};
  for (const auto& [ulps, place] : classes) {
    Sample s = sample(1);
    s.expected.value[0] = 1.5;
    s.got.set(0, 1.5 + ulps * 0x1p-23);
    const Agreement agreement = compare(s.got, s.expected).agreement;
    ASSERT_EQ(agreement.ulp_histogram.get()->size(), 15U);
    for (std::size_t i = 0; i < 15; ++i)
      EXPECT_EQ((*agreement.ulp_histogram.get())[i], i == place ? 1 : 0) << ulps << " " << i;
  }
}

TEST(Border, OfTheClassesOfNaNs) {
  const auto place = [](double value, std::uint64_t got) {
    Array one(Precision::fp32, 1);
    one.set_bits(0, got);
    const std::vector<std::int64_t> classes =
        *compare(one, {.value = {value}, .bound = {0}}).agreement.ulp_histogram.get();
    return std::ranges::find(classes, 1) - classes.begin();
  };
  EXPECT_EQ(place(NAN, 0x7fc00001), 0);
  EXPECT_EQ(place(1, 0x7fc00001), 14);
  EXPECT_EQ(place(1, 0x7f800000), 14);
}

TEST(Border, OfInfinitiesThatAreRight) {
  const double largest = largest_finite(Precision::fp32);
  const Comparison found = compare(Array(Precision::fp32, {HUGE_VAL}), {.value = {largest}, .bound = {0x1p104}});
  EXPECT_TRUE(found.right());
  EXPECT_EQ(found.agreement.ulp_histogram.get()->front(), 1);
  // The same bits are never beyond a bound, however narrow.
  const Comparison same = compare(Array(Precision::fp32, {1.0 / 3}), {.value = {1.0 / 3}, .bound = {1e-12}});
  EXPECT_EQ(*same.agreement.error_over_bound.get(), 1);
  EXPECT_EQ(*compare(Array(Precision::fp32, {HUGE_VAL}), {.value = {HUGE_VAL}, .bound = {0x1p104}})
                 .agreement.error_over_bound.get(),
            0);
  // Zero stands for nothing but a subnormal number.
  EXPECT_FALSE(right_when_flushed(Array(Precision::fp32, {0}), 0, {.exact = Array(Precision::fp32, {0.5})}));
  EXPECT_TRUE(right_when_flushed(Array(Precision::fp32, {0}), 0, {.exact = Array(Precision::fp32, {0x1p-130})}));
}

TEST(Border, OfWhatFlushingExcuses) {
  const auto right = [](double got, double value, double limit, double flushed) {
    Array one(Precision::fp32, 1);
    one.set(0, got);
    const Comparison c = compare(one, {.value = {value}, .bound = {limit}, .flushed = {flushed}});
    return c.right();
  };
  EXPECT_TRUE(right(0, 0x1p-126 + 0x1p-130, 0x1p-129, NAN));  // the bound reaches below the smallest normal number
  EXPECT_FALSE(right(0, 0x1p-126 + 0x1p-129, 0x1p-129, NAN));
  const double unit = 0x1p-23;
  EXPECT_TRUE(right(1 + 2 * unit, 5, 0, 1));  // four ulp of the flushed result, at a power of two
  EXPECT_FALSE(right(1.5 + 5 * unit, 5, 0, 1.5));
  EXPECT_TRUE(right(1.5 + 4 * unit, 5, 0, 1.5));
  EXPECT_TRUE(right(1.5 + 9 * unit, 5, 9 * unit, 1.5));
  EXPECT_TRUE(right(-0.0, 5, 0, 0));
  EXPECT_FALSE(right(0x1p-149, 5, 0, 0));
}

TEST(Border, OfOneValueThatIsNotTrusted) {
  const auto outcome = [](std::size_t count, std::size_t alike, double value) {
    Sample s = sample(count);
    for (std::size_t i = 0; i < alike; ++i) s.got.set(i, s.expected.value[i] = value);
    return *compare(s.got, s.expected).agreement.outcome.get();
  };
  for (const double value : {0.0, 3.0}) {
    EXPECT_EQ(outcome(16, 9, value), "not-trustworthy");
    EXPECT_EQ(outcome(16, 8, value), "same-bits");
    EXPECT_EQ(outcome(15, 15, value), "same-bits");
  }
  Sample signs = sample(16);  // zeros of either sign are one value
  for (std::size_t i = 0; i < 9; ++i) signs.got.set(i, signs.expected.value[i] = i % 2 == 0 ? 0.0 : -0.0);
  EXPECT_EQ(*compare(signs.got, signs.expected).agreement.outcome.get(), "not-trustworthy");
}

TEST(Samples, AreWrittenAsWideAsTheirType) {
  for (const auto& [precision, bits] :
       {std::pair(Precision::fp16, "0x4500"), {Precision::fp64, "0x4014000000000000"}}) {
    const Comparison found = compare(Array(precision, {5}), {.precision = precision, .value = {1.0}, .bound = {0}});
    EXPECT_EQ(*found.agreement.samples.get()->front().got.get(), bits);
  }
  const Comparison least =
      compare(Array(Precision::fp16, {0x1p-24}), {.precision = Precision::fp16, .value = {1.0}, .bound = {0}});
  EXPECT_EQ(*least.agreement.samples.get()->front().got.get(), "0x0001");
  EXPECT_EQ(compare(Array(Precision::fp16, 3), {.value = {1, 2, 3}}).wrong, Places{0});
  const Comparison same = compare(sample(20).got, sample(20).expected);
  EXPECT_EQ(*same.agreement.max_ulp.get(), 0);
  EXPECT_EQ(*same.agreement.error_over_bound.get(), 0);
  EXPECT_EQ(same.mean_square_over_bound, 0);
}

// Infinity is right from halfway between the largest number and the one that would follow.
TEST(Border, OfAnInfinity) {
  const auto right = [](double units) {
    const double value = largest_finite(Precision::fp32) + units * 0x1p104;
    return compare(Array(Precision::fp32, {HUGE_VAL}), {.value = {value}, .bound = {0}}).wrong.empty();
  };
  EXPECT_TRUE(right(0.5));
  EXPECT_FALSE(right(0.4));
}

// Halfway between two numbers either is right.
TEST(Border, OfATie) {
  const auto right = [](double got, double value) {
    return compare(Array(Precision::fp32, {got}), {.value = {value}, .bound = {0}}).wrong.empty();
  };
  EXPECT_TRUE(right(1 + 0x1p-23, 1 + 0x1p-24));
  EXPECT_FALSE(right(1 + 0x1p-23, 1 + 0x1p-24 - 0x1p-30));
}

// The first element is one that values may come from.
TEST(Border, OfValuesOfTheFirstElement) {
  Sample s = sample(200);
  Places wrong;
  for (std::size_t i = 0; i < 10; ++i) {
    const std::size_t at = 1 + 11 * i;
    const double off = i % 2 == 0 ? 3 * 0x1p-23 : -3 * 0x1p-23;
    s.got.set(at, i == 5 ? garbage(at) : s.expected.value[at - 1] + off);
    wrong.push_back(at);
  }
  EXPECT_EQ(pattern_of(s.got, s.expected, wrong, 0).shape, Shape::other_index);
}

TEST(Border, OfTheMeanSquareOverTheBound) {
  Sample single = sample(1);
  single.got.set(0, single.got.value(0) + bound / 2);
  EXPECT_NEAR(compare(single.got, single.expected).mean_square_over_bound, 0.25, 1e-9);
  Sample s = sample(4);
  s.got.set(1, s.got.value(1) + bound / 2);
  s.got.set(2, s.got.value(2) - bound);
  EXPECT_NEAR(compare(s.got, s.expected).mean_square_over_bound, (0.25 + 1) / 4, 1e-9);
  EXPECT_TRUE(compare(s.got, s.expected).improbable.empty());
  s.expected.probable = std::vector<double>(4, bound * 0.75);
  EXPECT_EQ(compare(s.got, s.expected).improbable, Places{2});
  s.expected.probable = std::vector<double>(4, 0);
  EXPECT_EQ(compare(s.got, s.expected).improbable, (Places{1, 2}));
  // Half a unit is nothing but rounding; a power of two has the smaller one.
  s = sample(2);
  s.expected.value = {1.5 + 0.45 * 0x1p-23, 1};
  s.got = Array(Precision::fp32, {1.5, 1 - 0x1p-24});
  s.expected.probable = {0, 0};
  EXPECT_EQ(compare(s.got, s.expected).improbable, Places{1});
  // Of the second of two exact patterns, one; of nothing that has a bound, nothing.
  const Array one(Precision::fp32, {1.0, 2.0}), other(Precision::fp32, {1.5, 2.0});
  EXPECT_EQ(compare(other, {.exact = one, .also_exact = other}).mean_square_over_bound, 0.5);
  const Comparison none = compare(Array(Precision::fp32, {HUGE_VAL}), {.exact = Array(Precision::fp32, {1.0})});
  EXPECT_EQ(none.mean_square_over_bound, 0);
}

// What classify() makes of it.
struct Observed {
  Operation operation{};
  Sample sample{};
  std::vector<Array> again{};
  std::size_t repeats_equal = 1;
  [[nodiscard]] Classification named(const Experiments& experiments = {}) const {
    const Comparison comparison = compare(sample.got, sample.expected);
    std::vector<const Array*> repeats;
    for (const Array& array : again) repeats.push_back(&array);
    return classify({.operation = operation,
                     .got = sample.got,
                     .expected = sample.expected,
                     .comparison = comparison,
                     .repeats = repeats,
                     .repeats_equal = repeats_equal},
                    experiments);
  }
};

TEST(NameBorder, OfBitsThatFlipBetweenRuns) {
  const auto cause = [](std::size_t count, std::size_t flipped, std::uint64_t bits) {
    Observed run{.sample = words(count)};
    run.again = {run.sample.got, run.sample.got};
    for (std::size_t i = 0; i < flipped; ++i) run.again[1].set_bits(2 * i, run.again[1].bits(2 * i) ^ bits);
    return std::string(run.named().cause());
  };
  EXPECT_EQ(cause(128, 8, 4), "bit-flip");
  EXPECT_EQ(cause(127, 8, 4), "nondeterministic");
  EXPECT_EQ(cause(1000, 9, 4), "nondeterministic");
  EXPECT_EQ(cause(128, 8, 5), "nondeterministic");
}

TEST(NameBorder, OfBitsBesideABuffer) {
  const auto cause = [](int bits) {
    const Observed run{.sample = sample(40)};
    const Comparison comparison = compare(run.sample.got, run.sample.expected);
    return std::string(classify({.operation = run.operation,
                                 .got = run.sample.got,
                                 .expected = run.sample.expected,
                                 .comparison = comparison,
                                 .guard_changed = true,
                                 .guard_bits = bits})
                           .cause());
  };
  EXPECT_EQ(cause(0), "out-of-bounds");
  EXPECT_EQ(cause(1), "bit-flip");
  EXPECT_EQ(cause(2), "out-of-bounds");
}

TEST(NameBorder, OfCountsThatMoved) {
  const auto cause = [](std::size_t count, std::int64_t lost, std::int64_t gained, bool counts = true) {
    Observed run{.operation = {.counts = counts}, .sample = words(count)};
    run.sample.got.set_bits(3, run.sample.got.bits(3) - static_cast<std::uint64_t>(lost));
    run.sample.got.set_bits(9, run.sample.got.bits(9) + static_cast<std::uint64_t>(gained));
    return std::string(run.named().cause());
  };
  EXPECT_EQ(cause(16, 3, 3), "moved-count");
  EXPECT_NE(cause(15, 3, 3), "moved-count");
  EXPECT_NE(cause(16, 3, 2), "moved-count");
  EXPECT_NE(cause(16, 2, 3), "moved-count");
  EXPECT_NE(cause(16, 3, 3, false), "moved-count");
  EXPECT_NE(cause(16, 0, 3), "moved-count");
}

// Counts that are missing: so many from each of some bins in the run and in one more, too many in another.
TEST(NameBorder, OfCountsThatAreMissing) {
  const auto found = [](const std::vector<double>& missing, const std::vector<double>& again = {}, double gained = 0,
                        bool counts = true) {
    Observed run{.operation = {.counts = counts}, .sample = words(64)};
    for (std::size_t i = 0; i < 64; ++i) run.sample.expected.exact->set(i, 205 + static_cast<double>(i));
    run.sample.got = *run.sample.expected.exact;
    const Array right = run.sample.got;
    for (std::size_t i = 0; i < missing.size(); ++i) run.sample.got.set(7 * i, right.value(7 * i) - missing[i]);
    run.sample.got.set(60, right.value(60) + gained);
    if (!again.empty()) run.again = {right};
    for (std::size_t i = 0; i < again.size(); ++i) run.again[0].set(7 * i, right.value(7 * i) - again[i]);
    return run.named();
  };
  EXPECT_EQ(found({3, 5, 9}).text, "17 counts are missing, and no bin has too many");
  EXPECT_EQ(found({3, 5, 9}).cause(), "lost-additions");
  EXPECT_NE(found({3, 5}).cause(), "lost-additions");
  EXPECT_NE(found({3, 5, 9}, {}, 1).cause(), "lost-additions");
  EXPECT_NE(found({3, 5, 9}, {}, 0, false).cause(), "lost-additions");
  // All of them missing is something else; in some bins it is not.
  EXPECT_NE(found({205, 212, 219}).cause(), "lost-additions");
  EXPECT_EQ(found({205, 212, 218}).cause(), "lost-additions");
  // One bit each is memory, unless it comes and goes: then all that differs must be missing.
  EXPECT_EQ(found({1, 4, 1}).cause(), "bit-flip");
  EXPECT_EQ(found({1, 4, 1}, {1, 0, 0}).text, "6 counts are missing, and no bin has too many");
  EXPECT_EQ(found({1}, {2, 3, 5}).text, "10 counts are missing, and no bin has too many");
  EXPECT_EQ(found({3}, {2, 5, -9}).cause(), "nondeterministic");
  EXPECT_NE(found({}, {2, 3, 5}).cause(), "lost-additions");  // wrong in another run alone
  // Nor is it one factor, nor a bit that is never set.
  EXPECT_EQ(found({20.5, 21.2, 21.9, 22.6, 23.3, 24, 24.7, 25.4}, {}, 0).cause(), "lost-additions");
  Observed half{.operation = {.counts = true}, .sample = words(64)};
  for (std::size_t i = 0; i < 64; ++i) half.sample.expected.exact->set(i, 2000 + 20 * static_cast<double>(i));
  half.sample.got = *half.sample.expected.exact;
  for (std::size_t i = 0; i < 8; ++i) half.sample.got.set(3 * i + 1, half.sample.got.value(3 * i + 1) / 2);
  EXPECT_EQ(half.named().cause(), "scaled");
  Observed stuck{.operation = {.counts = true}, .sample = words(64)};
  for (std::size_t i = 0; i < 64; ++i) stuck.sample.got.set_bits(i, stuck.sample.got.bits(i) & ~std::uint64_t{16});
  EXPECT_EQ(stuck.named().cause(), "bit-flip");
}

// Sums by atomics: what a run on ones shows.
TEST(NameBorder, OfAdditionsThatAreMissing) {
  const auto found = [](std::optional<std::size_t> lost, const Places& wrong = {5, 13, 40}, bool order_free = true,
                        double value = 1.1) {
    Observed run{.operation = {.order_free = order_free}, .sample = sample(64)};
    for (const std::size_t i : wrong) run.sample.got.set(i, value * (1 + 0.01 * static_cast<double>(i)));
    return run.named({.additions_lost = [=] { return lost; }});
  };
  EXPECT_EQ(found(17).text, "17 additions are missing where every number is 1");
  EXPECT_EQ(found(1).cause(), "lost-additions");
  EXPECT_NE(found(0).cause(), "lost-additions");
  EXPECT_NE(found(std::nullopt).cause(), "lost-additions");
  EXPECT_NE(found(17, {}).cause(), "lost-additions");
  EXPECT_NE(found(17, {5, 13, 40}, false).cause(), "lost-additions");
  EXPECT_EQ(found(17, {5, 13, 40}, true, 0).cause(), "zeros");
}

TEST(NameBorder, OfTheLastElement) {
  const auto cause = [](std::size_t count, std::size_t wrong, std::size_t repeats_equal) {
    Observed run{.sample = sample(count), .repeats_equal = repeats_equal};
    run.sample.got.set(wrong, 99);
    return std::string(run.named().cause());
  };
  EXPECT_EQ(cause(2, 1, 1), "last-element");
  EXPECT_EQ(cause(100, 99, 1), "last-element");
  EXPECT_NE(cause(100, 99, 0), "last-element");
  EXPECT_NE(cause(100, 98, 1), "last-element");
  EXPECT_NE(cause(1, 0, 1), "last-element");
  Observed two{.sample = sample(100)};
  two.sample.got.set(98, 99), two.sample.got.set(99, 77);
  EXPECT_NE(two.named().cause(), "last-element");
}

TEST(NameBorder, OfAFunction) {
  const auto text = [](const Places& wrong) {
    Observed run{.operation = {.columns = 10, .functions = {"exp", "log", "sin", "cos"}, .row_for_each_function = true},
                 .sample = sample(60)};
    for (const std::size_t i : wrong) run.sample.got.set(i, garbage(i));
    const Classification named = run.named();
    return named.cause() == "function" ? named.text : "";
  };
  EXPECT_EQ(text({1, 4, 8}), "inexact: exp");
  EXPECT_EQ(text({1, 4}), "");
  EXPECT_EQ(text({31, 35, 38}), "inexact: cos");
  EXPECT_EQ(text({1, 4, 8, 21, 24, 28}), "inexact: exp, sin");
  EXPECT_EQ(text({1, 4, 8, 11, 14, 18, 21, 24, 28}), "");
  EXPECT_EQ(text({41, 44, 48}), "");
  // A row that holds what is right in another is no function.
  Observed repeated{
      .operation = {.columns = 10, .functions = {"exp", "log", "sin", "cos"}, .row_for_each_function = true},
      .sample = sample(40)};
  for (std::size_t i = 10; i < 20; ++i) repeated.sample.got.set(i, repeated.sample.expected.value[i - 10]);
  EXPECT_EQ(repeated.named().cause(), "other-index");
}

TEST(NameBorder, OfAnotherRounding) {
  FpMode mode;
  mode.rounding = "up";
  const auto named = [&](double value, double limit, double got) {
    Observed run{.sample = sample(100)};
    run.sample.expected.value[40] = value;
    run.sample.expected.bound[40] = limit;
    run.sample.got.set(40, got);
    return run.named({.mode = mode}).cause() == "rounding-mode";
  };
  const double unit = 0x1p-23;
  EXPECT_TRUE(named(1.5, 8 * unit, 1.5 + 18 * unit));
  EXPECT_FALSE(named(1.5, 8 * unit, 1.5 + 19 * unit));
  EXPECT_TRUE(named(HUGE_VAL, 0, 0x1.fffffep126));
  EXPECT_FALSE(named(HUGE_VAL, 0, 0x1.fffffcp126));
  EXPECT_TRUE(named(7, unit, 8));
  EXPECT_FALSE(named(7, unit, 9));
  EXPECT_FALSE(named(7, unit, 8.5));
  EXPECT_FALSE(named(1, unit, -1));
  mode.rounding = "down";
  EXPECT_TRUE(named(1, unit, -1));
  EXPECT_FALSE(named(1, unit, -3));
  mode.rounding = "to nearest";
  EXPECT_FALSE(named(7, unit, 8));
  // Of exact results, two units of the largest.
  mode.rounding = "up";
  const auto exact = [&](double error) {
    Observed run{.sample = {{.exact = Array(Precision::fp32, {1000.5, 1.25, 3, 5})},
                            Array(Precision::fp32, {1000.5, 1.25, 3, 5})}};
    run.sample.got.set(1, 1.25 + error);
    return run.named({.mode = mode}).cause() == "rounding-mode";
  };
  EXPECT_TRUE(exact(2 * 0x1p-14));
  EXPECT_FALSE(exact(2.5 * 0x1p-14));
  const Array tiny(Precision::fp32, {0.125, 0.25});
  Observed small{.sample = {{.exact = tiny}, tiny}};
  small.sample.got.set(0, 0.125 + 0x1p-25);
  EXPECT_EQ(small.named({.mode = mode}).cause(), "rounding-mode");
  small.sample.got.set(0, 0.125 + 0x1p-23);
  EXPECT_NE(small.named({.mode = mode}).cause(), "rounding-mode");
}

TEST(NameBorder, OfBarriersAmongRunsThatDiffer) {
  const auto cause = [](std::size_t wrong) {
    Observed run{.sample = sample(128)};
    run.again = {run.sample.got};
    for (std::size_t i = 0; i < wrong; ++i) run.sample.got.set(40 * i + 7, garbage(i));
    return std::string(run.named({.right_in_groups_of_one = [] { return std::optional(true); }}).cause());
  };
  EXPECT_EQ(cause(2), "barrier");
  EXPECT_EQ(cause(1), "nondeterministic");
}

TEST(NameBorder, OfACalculationThatTheTwinGetsAsWrong) {
  const auto cause = [](double factor) {
    Observed run{.sample = sample(40)};
    for (std::size_t i = 0; i < 40; ++i)
      run.sample.got.set(i, run.sample.got.value(i) + bound * static_cast<double>(2 + i % 5));
    Comparison twin = compare(run.sample.got, run.sample.expected);
    twin.mean_square_over_bound /= factor;
    return std::string(run.named({.twin = [=] { return std::optional(twin); }}).cause());
  };
  EXPECT_EQ(cause(63.9), "unstable");
  EXPECT_NE(cause(64.1), "unstable");
  // A single one that is no number is no inaccuracy.
  Observed run{.sample = sample(40)};
  for (std::size_t i = 0; i < 40; ++i) run.sample.got.set(i, i == 7 ? NAN : run.sample.got.value(i) + 4 * bound);
  const Comparison twin = compare(run.sample.got, run.sample.expected);
  EXPECT_NE(run.named({.twin = [=] { return std::optional(twin); }}).cause(), "unstable");
}

TEST(NameBorder, OfOneFactor) {
  // So many numbers 1.25 times what is right, among them such that should be zero, and such that are anything.
  const auto named = [](std::size_t wrong, std::size_t zeros, std::size_t others, double factor = 1.25) {
    Observed run{.sample = sample(40)};
    for (std::size_t i = 0; i < wrong; ++i) {
      const std::size_t at = 4 * i % 39;
      run.sample.got.set(at, factor * run.sample.expected.value[at]);
      if (i < zeros) run.sample.expected.value[at] = 0;
      if (i >= zeros && i < zeros + others) run.sample.got.set(at, garbage(at));
    }
    return run.named().cause() == "scaled";
  };
  EXPECT_TRUE(named(8, 0, 0));
  EXPECT_FALSE(named(7, 0, 0));
  EXPECT_TRUE(named(20, 0, 2));
  EXPECT_FALSE(named(20, 0, 3));
  EXPECT_FALSE(named(20, 3, 0));
  EXPECT_TRUE(named(20, 2, 0));
}

// Of any size: a ten-thousandth of what it is.
TEST(NameBorder, OfOneFactorNearly) {
  const auto named = [](double size, double off) {
    Observed run{.sample = sample(40)};
    for (std::size_t i = 0; i < 40; ++i) {
      run.sample.expected.value[i] *= size;
      run.sample.expected.bound[i] *= size;
      run.sample.got.set(i, 1.25 * run.sample.expected.value[i] * (1 + (i % 3 == 0 ? off : i % 3 == 1 ? -off : 0)));
    }
    return run.named().cause() == "scaled";
  };
  for (const double size : {1e-9, 1.0, 1e9}) {
    EXPECT_TRUE(named(size, 0.9e-4)) << size;
    EXPECT_FALSE(named(size, 1.2e-4)) << size;
  }
}

// Nothing but zeros from some element on: no factor, but results that are missing.
TEST(NameBorder, OfZerosThatAreNoFactor) {
  Observed run{.sample = sample(40)};
  for (std::size_t i = 20; i < 40; ++i) run.sample.got.set(i, 0);
  EXPECT_EQ(run.named().cause(), "unnamed");
  for (std::size_t i = 20; i < 40; ++i) run.sample.got.set(i, 0.5 * run.sample.expected.value[i]);
  EXPECT_EQ(run.named().cause(), "scaled");
}

TEST(NameBorder, OfAnotherCalculation) {
  const auto cause = [](std::size_t wrong, std::optional<bool> without_optimisation) {
    Observed run{.sample = sample(128)};
    for (std::size_t i = 0; i < wrong; ++i) run.sample.got.set(5 * i + i % 3, garbage(i));
    return std::string(run.named({.right_at = [](std::int64_t) { return std::optional(false); },
                                  .this_size = 1000,
                                  .right_without_optimisation = [=] { return without_optimisation; }})
                           .cause());
  };
  EXPECT_EQ(cause(16, false), "other-calculation");
  EXPECT_EQ(cause(15, false), "unnamed");
  EXPECT_EQ(cause(16, true), "miscompiled");
  EXPECT_EQ(cause(16, {}), "unnamed");
}

// Where there is no size to change, other inputs decide: wrong everywhere, or here and there.
TEST(NameBorder, OfAnotherCalculationOnOtherInputs) {
  const auto cause = [](const Places& wrong, bool same_places) {
    Observed run{.sample = sample(128)};
    for (const std::size_t i : wrong) run.sample.got.set(i, garbage(i));
    return std::string(run.named({.same_places = [=] { return std::optional(same_places); },
                                  .right_without_optimisation = [] { return std::optional(false); }})
                           .cause());
  };
  EXPECT_EQ(cause(from_to(0, 127), true), "other-calculation");
  EXPECT_EQ(cause(from_to(0, 127), false), "unnamed");
  EXPECT_EQ(cause(spread_out(12), true), "other-calculation");
  EXPECT_EQ(cause(from_to(50, 127), true), "unnamed");
  EXPECT_EQ(cause(spread_out(4), true), "tile");
  // Not numbers are named as such.
  Observed run{.sample = sample(128)};
  for (const std::size_t i : spread_out(4)) run.sample.got.set(i, NAN);
  EXPECT_EQ(run.named({.same_places = [] { return std::optional(true); }}).cause(), "not-a-number");
  run.sample.got.set(spread_out(4).front(), 99);
  EXPECT_EQ(run.named({.same_places = [] { return std::optional(true); }}).cause(), "tile");
}

TEST(NameBorder, OfWhatProbesAloneShow) {
  const auto cause = [](Precision precision, int bits, bool half_range) {
    Observed run{.sample = {Expected::bounded(precision, 40), Array(precision, 40)}};
    for (std::size_t i = 0; i < 40; ++i) {
      run.sample.expected.value[i] = 1.5 + 0.01 * static_cast<double>(i);
      run.sample.got.set(i, garbage(i));
    }
    const MeasuredPrecision measured{
        .input_bits = bits, .accumulator_bits = significand_bits(precision), .half_range = half_range};
    return std::string(run.named({.measured = measured}).cause());
  };
  EXPECT_EQ(cause(Precision::fp64, 24, false), "fp32-inputs");
  EXPECT_EQ(cause(Precision::fp64, 23, false), "narrow-inputs");
  EXPECT_EQ(cause(Precision::fp64, 52, false), "fp32-inputs");
  EXPECT_EQ(cause(Precision::fp64, 53, false), "unnamed");
  EXPECT_EQ(cause(Precision::fp32, 11, false), "tf32-inputs");
  EXPECT_EQ(cause(Precision::fp32, 11, true), "fp16-inputs");
  EXPECT_EQ(cause(Precision::fp32, 8, false), "bf16-inputs");
  EXPECT_EQ(cause(Precision::fp32, 9, false), "narrow-inputs");
  EXPECT_EQ(cause(Precision::fp32, 24, false), "unnamed");
}

TEST(NameBorder, OfASizeLimit) {
  // Right up to 1000, but for these sizes.
  const auto found = [](const std::set<std::int64_t>& but, std::int64_t least = 1, std::int64_t end = 5000) {
    return largest_right(least, end, [&](std::int64_t n) { return std::optional((n <= 1000) != but.contains(n)); });
  };
  EXPECT_EQ(found({}), 1000);
  for (const std::int64_t n : {999, 998, 993}) EXPECT_EQ(found({n}), std::nullopt) << n;
  for (const std::int64_t n : {1002, 1003, 1008, 1001 + 3999 / 2}) EXPECT_EQ(found({n}), std::nullopt) << n;
  for (const std::int64_t n : {996, 992, 1004, 1009}) EXPECT_EQ(found({n}), 1000) << n;
  // Whichever sizes the search itself passes by.
  for (std::int64_t limit = 900; limit < 950; ++limit) {
    for (const std::int64_t n :
         {limit - 1, limit - 2, limit - 7, limit + 2, limit + 3, limit + 8, limit + 1 + (4999 - limit) / 2}) {
      const auto right_at = [=](std::int64_t size) { return std::optional((size <= limit) != (size == n)); };
      EXPECT_NE(largest_right(1, 5000, right_at), limit) << n;
    }
  }
  // Neither the size where it begins nor the one where it ends is asked for twice.
  for (const std::int64_t near : {1, 2, 7}) {
    std::multiset<std::int64_t> asked;
    const auto right_at = [&](std::int64_t n) { return asked.insert(n), std::optional(n <= 1000); };
    EXPECT_EQ(largest_right(1000 - near, 1001 + near, right_at), 1000);
    EXPECT_EQ(asked.count(1000 - near), 1U);
    EXPECT_EQ(asked.count(1001 + near), 1U);
  }
  const Observed limited{.sample = [] {
    Sample s = sample(40);
    for (std::size_t i = 0; i < 40; ++i) s.got.set(i, garbage(i));
    return s;
  }()};
  const auto right_at = [](std::int64_t n) { return std::optional(n <= 1000); };
  EXPECT_EQ(limited.named({.right_at = right_at, .small_size = 1, .this_size = 5000}).text,
            "correct up to 1000, wrong from 1001 on");
  EXPECT_EQ(found({}, 0), std::nullopt);
  EXPECT_EQ(found({}, 1, 1), std::nullopt);
  EXPECT_EQ(found({}, 999, 1002), 1000);
  EXPECT_EQ(found({}, 1000, 1002), std::nullopt);  // nothing below was tried
  EXPECT_EQ(found({5000}), std::nullopt);
  EXPECT_EQ(found({1}), std::nullopt);
  int runs = 0;
  const auto counted = [&](std::int64_t n) { return ++runs, std::optional(n <= 1000); };
  EXPECT_EQ(largest_right(1, 5000, counted), 1000);
  const int needed = runs;
  EXPECT_EQ(largest_right(1, 5000, counted, needed), 1000);
  for (int most = 0; most < needed; ++most) {
    runs = 0;
    EXPECT_EQ(largest_right(1, 5000, counted, most), std::nullopt) << most;
    EXPECT_EQ(runs, most);
  }
}

// Sums of 64 products whose first factor has an input error of `narrow` where inputs have 11 bits, got with noise.
Replay replayed(double narrow, double noise, const std::function<double(std::size_t)>& error = {}) {
  const Operation operation{.depth = 64, .terms = [=](std::size_t element) {
                              Terms terms{std::vector<double>(64, 1), std::vector<double>(64, 1)};
                              terms.a[0] += narrow;
                              for (std::size_t i = 1; i < 64; ++i) terms.b[i] = (i + element) % 2 == 0 ? 1 : -1;
                              terms.b[5] = 4 + static_cast<double>(element % 3);
                              return terms;
                            }};
  Array got(Precision::fp64, 64);
  Operation wide = operation;
  for (std::size_t i = 0; i < 64; ++i) {
    const Terms terms = operation.terms(i);
    double sum = 0;
    for (std::size_t p = 0; p < 64; ++p) sum += (p == 0 ? 1 : terms.a[p]) * terms.b[p];
    got.set(i, sum + (i % 2 == 0 ? noise : -noise) + (error ? error(i) : 0));
  }
  Array single(Precision::fp32, 64);
  for (std::size_t i = 0; i < 64; ++i) single.set(i, got.value(i));
  return *replay(wide, single);
}

// Inputs of 11 bits and of ordinary size: TF32 or fp16, unless it is right with TF32 switched off.
TEST(NameBorder, OfInputsThatASwitchTells) {
  Observed run{.operation = dots_of(64, 3),
               .sample = {Expected::bounded(Precision::fp32, 64), Array(Precision::fp32, 64)}};
  for (std::size_t i = 0; i < 64; ++i) {
    const Terms terms = run.operation.terms(i);
    double sizes = 0;
    for (std::size_t p = 0; p < 64; ++p) {
      run.sample.expected.value[i] += terms.a[p] * terms.b[p];
      sizes += std::fabs(terms.a[p] * terms.b[p]);
    }
    run.sample.expected.bound[i] = dot_bound(64, 64, sizes, Precision::fp32);
    run.sample.got.set(i, dot_in(all_arithmetics()[2], terms));
  }
  const auto named = [&](WrongResult kind, bool right) {
    Experiments experiments;
    experiments.without = {{kind, "switched off", [=] { return std::optional(right); }}};
    return run.named(experiments);
  };
  EXPECT_EQ(run.named().cause(), "narrow-inputs");
  EXPECT_EQ(named(WrongResult::tf32_inputs, true).cause(), "tf32-inputs");
  EXPECT_EQ(named(WrongResult::tf32_inputs, true).confirmed_by, "replay, switched off");
  EXPECT_EQ(named(WrongResult::tf32_inputs, false).cause(), "narrow-inputs");
  EXPECT_EQ(named(WrongResult::cudnn, true).cause(), "narrow-inputs");
}

// Each kind of narrower inputs is recognized by itself, here in sums of products of doubles, of which the smallest lie
// where binary16 has few bits left.
TEST(NameBorder, OfEachKindOfNarrowerInputs) {
  using enum Rounding;
  const std::vector<std::tuple<const char*, int, Rounding, bool>> kinds = {
      {"TF32 inputs, rounded to nearest", 11, nearest, false}, {"TF32 inputs, ties away from zero", 11, away, false},
      {"TF32 inputs, truncated", 11, truncated, false},        {"bf16 inputs, rounded to nearest", 8, nearest, false},
      {"bf16 inputs, truncated", 8, truncated, false},         {"fp16 inputs, rounded to nearest", 11, nearest, true},
      {"fp32 inputs, rounded to nearest", 24, nearest, false}, {"fp32 inputs, truncated", 24, truncated, false}};
  for (const auto& [name, bits, rounding, half_range] : kinds) {
    const auto terms_of = [](std::size_t element) {
      Terms terms;
      for (std::uint64_t p = 0; p < 64; ++p) {
        // Every eighth a tie between two numbers of 11 bits.
        const double a = normal(1, element, p), b = normal(2, element, p);
        terms.a.push_back(
            0x1p-16 *
            (p % 8 == 0 ? rounded_to_bits(a, 11, truncated) + std::ldexp(a < 0 ? -1 : 1, std::ilogb(a) - 11) : a));
        terms.b.push_back(0x1p-16 * b);
      }
      return terms;
    };
    Array got(Precision::fp64, 64);
    for (std::size_t i = 0; i < 64; ++i) {
      const Terms terms = terms_of(i);
      double sum = 0;
      const auto narrowed = [&, bits = bits, rounding = rounding, half_range = half_range](double x) {
        return half_range ? rounded_to_half(x) : rounded_to_bits(x, bits, rounding);
      };
      for (std::size_t p = 0; p < 64; ++p) sum += narrowed(terms.a[p]) * narrowed(terms.b[p]);
      got.set(i, sum);
    }
    const Replay found = *replay({.depth = 64, .terms = terms_of}, got);
    ASSERT_TRUE(found.best) << name;
    EXPECT_STREQ(found.best->text, name);
    EXPECT_TRUE(found.holds && found.suspect()) << name;
    EXPECT_FALSE(found.tf32_or_fp16) << name;  // its range distinguishes binary16 from TF32
  }
}

// No element may lie further from the narrowed sum than two bounds and a unit.
TEST(NameBorder, OfInputsThatExplainEachElement) {
  const auto cause = [](double bounds, double units) {
    Observed run{.operation = dots_of(64, 3),
                 .sample = {Expected::bounded(Precision::fp32, 64), Array(Precision::fp32, 64)}};
    for (std::size_t i = 0; i < 64; ++i) {
      const Terms terms = run.operation.terms(i);
      for (std::size_t p = 0; p < 64; ++p) run.sample.expected.value[i] += terms.a[p] * terms.b[p];
      const double unit = ulp(Precision::fp32, run.sample.expected.value[i]), limit = 8 * unit;
      run.sample.expected.bound[i] = limit;
      const double narrow = dot_in({.cause = "",
                                    .input = [](double x) { return rounded_to_bits(x, 8, Rounding::nearest); },
                                    .sum = [](double x) { return x; }},
                                   terms);
      run.sample.got.set(i, i == 20 ? narrow + bounds * limit + units * unit : narrow);
    }
    return std::string(run.named().cause());
  };
  EXPECT_EQ(cause(2, 0.25), "bf16-inputs");
  EXPECT_NE(cause(2, 2), "bf16-inputs");
}

TEST(NameBorder, OfInputsThatAreNarrowedByNoMoreThanFourBits) {
  EXPECT_TRUE(replayed(1.6e-4, 8e-6).suspect());
  EXPECT_TRUE(replayed(1.6e-4, 8e-6).holds);   // a twentieth is left
  EXPECT_FALSE(replayed(0.8e-4, 8e-6).holds);  // a tenth
  EXPECT_FALSE(replayed(2e-4, 1.2e-5).holds);  // more than plain arithmetic leaves
}

// Results of 11 bits from sums that probes found wider.
TEST(NameBorder, OfSumsThatProbesFindWider) {
  Observed run{.operation = dots_of(64, 3),
               .sample = {Expected::bounded(Precision::fp32, 64), Array(Precision::fp32, 64)}};
  for (std::size_t i = 0; i < 64; ++i) {
    const Terms terms = run.operation.terms(i);
    for (std::size_t p = 0; p < 64; ++p) run.sample.expected.value[i] += terms.a[p] * terms.b[p];
    run.sample.got.set(i, rounded_to_bits(run.sample.expected.value[i], 11, Rounding::nearest));
  }
  const auto cause = [&](int bits) {
    return std::string(run.named({.measured = MeasuredPrecision{.input_bits = 24, .accumulator_bits = bits}}).cause());
  };
  EXPECT_EQ(cause(11), "fp16-accumulator");
  EXPECT_EQ(cause(12), "narrow-accumulator");
  EXPECT_EQ(cause(23), "narrow-accumulator");
  EXPECT_NE(cause(24), "narrow-accumulator");
  // With wider results probes alone decide; zeros have no width, nor do probes that all are wrong.
  for (std::size_t i = 0; i < 64; ++i)
    run.sample.got.set(i, rounded_to_bits(run.sample.expected.value[i], 13, Rounding::nearest));
  EXPECT_EQ(cause(11), "fp16-accumulator");
  EXPECT_EQ(cause(1), "fp16-accumulator");
  EXPECT_EQ(cause(12), "narrow-accumulator");
  EXPECT_NE(cause(0), "fp16-accumulator");
  // A single bit is a width.
  for (std::size_t i = 0; i < 64; ++i)
    run.sample.got.set(i, rounded_to_bits(run.sample.expected.value[i], 1, Rounding::nearest));
  EXPECT_EQ(run.named().cause(), "fp16-accumulator");
  for (std::size_t i = 0; i < 64; ++i) run.sample.got.set(i, 0);
  EXPECT_EQ(run.named().cause(), "zeros");
}

// How many times the usual error, where that stays within the bound.
TEST(NameBorder, OfAnErrorThatIsNamedByItsSize) {
  Observed run{.operation = {.depth = 4,
                             .terms =
                                 [](std::size_t) {
                                   return Terms{{1, 1, 1, 1}, {3, 4, 0, 0}};
                                 }},
               .sample = {Expected::bounded(Precision::fp32, 64), Array(Precision::fp32, 64)}};
  for (std::size_t i = 0; i < 64; ++i) {
    run.sample.expected.value[i] = 7;
    run.sample.expected.bound[i] = 1;
    run.sample.got.set(i, 7 + (i % 2 == 0 ? 1 : -1) * 5 * 23 * 0x1p-18);
  }
  // Of a norm of 5, against 2.3 u 2 for eight times the usual.
  EXPECT_EQ(run.named().text, "within the error bound, but 2560 times the usual error");
}

// Half precision has no narrower sums that could be mistaken for its own.
TEST(NameBorder, OfSumsInHalfPrecision) {
  for (const Precision precision : {Precision::fp32, Precision::fp16}) {
    Observed run{.operation = dots_of(64, 3), .sample = {Expected::bounded(precision, 64), Array(precision, 64)}};
    for (std::size_t i = 0; i < 64; ++i) {
      const Terms terms = run.operation.terms(i);
      for (std::size_t p = 0; p < 64; ++p) run.sample.expected.value[i] += terms.a[p] * terms.b[p];
      run.sample.expected.bound[i] = 1e3;
      run.sample.got.set(i,
                         rounded_to_bits(run.sample.expected.value[i] + (i % 2 == 0 ? 3 : -3), 10, Rounding::nearest));
    }
    EXPECT_EQ(run.named().cause(), precision == Precision::fp32 ? "fp16-accumulator" : "unnamed") << text(precision);
  }
}

TEST(NameBorder, OfSumsThatErrTowardsZero) {
  // All by the same part of their norm towards zero, or a quarter more often so.
  const auto bias = [](double towards) {
    Array got(Precision::fp32, 64);
    const Operation dots{.depth = 4, .terms = [](std::size_t i) {
                           return Terms{{1, 1, 1, 1}, {i % 2 == 0 ? 4.0 : -4.0, 0, 0, 0}};
                         }};
    for (std::size_t i = 0; i < 64; ++i) {
      const double error = (static_cast<double>(i % 8) < 8 * towards ? -1 : 1) * 0x1p-12;
      got.set(i, i % 2 == 0 ? 4 + error : -4 - error);
    }
    const Replay found = *replay(dots, got);
    EXPECT_NEAR(found.plain, 0x1p-14, 1e-12);  // of a norm of 4
    EXPECT_EQ(found.suspect_threshold, 2.3 * 0x1p-24 * 2);
    EXPECT_EQ(found.samples, 64U);
    return found.bias;
  };
  EXPECT_NEAR(bias(1), 1, 1e-9);
  EXPECT_NEAR(bias(0.625), 0.25, 1e-9);
  EXPECT_NEAR(bias(0), -1, 1e-9);
}

TEST(NameBorder, OfTheNarrowestProbe) {
  std::vector<double> answers;
  for (const PrecisionProbe& probe : precision_probes(Precision::fp32)) answers.push_back(probe.exact);
  EXPECT_EQ(measured_precision(Precision::fp32, answers)->input_bits, 24);
  answers[0] += 1;
  EXPECT_EQ(measured_precision(Precision::fp32, answers)->input_bits, 0);
}

TEST(NameBorder, OfAMissingTerm) {
  const auto lost = [](double left_over) {
    const Operation dots{.depth = 4, .terms = [](std::size_t i) {
                           return Terms{{1, 1, 1, 1}, {1, 2, 3, i % 2 == 0 ? 0x1p-17 : -0x1p-17}};
                         }};
    Array got(Precision::fp32, 64);
    for (std::size_t i = 0; i < 64; ++i) got.set(i, 6 + (i % 3 == 0 ? left_over : -left_over));
    const auto found = replay(dots, got);
    return found->lost ? std::string(found->lost) : "";
  };
  EXPECT_EQ(lost(0), "last");
  EXPECT_EQ(lost(0x1p-21), "last");
  EXPECT_EQ(lost(0x1p-20), "");
}

// Where more elements are given than are looked at, these lie all over them.
TEST(NameBorder, OfInputsThatOnlyLaterElementsShow) {
  const auto suspect = [](std::size_t first) {
    const Operation dots = dots_of(64, 3);
    Array got(Precision::fp32, 4096);
    for (std::size_t i = 0; i < got.count(); ++i) {
      const Terms terms = dots.terms(i);
      double sum = 0;
      for (std::size_t p = 0; p < terms.a.size(); ++p) sum += terms.a[p] * terms.b[p];
      got.set(i, i < first ? sum : rounded_to_bits(sum, 8, Rounding::nearest));
    }
    return replay(dots, got)->suspect();
  };
  EXPECT_TRUE(suspect(0));
  EXPECT_TRUE(suspect(256));
  EXPECT_TRUE(suspect(3072));
  EXPECT_FALSE(suspect(4096));
}

TEST(NameBorder, OfTheWidthOfResults) {
  const auto bits = [](double value) {
    const Operation dots{.depth = 2, .terms = [](std::size_t) { return Terms{{1, 1}, {1, 1}}; }};
    return replay(dots, Array(Precision::fp32, {value, 0}))->result_bits;
  };
  EXPECT_EQ(bits(2), 1);
  EXPECT_EQ(bits(3), 2);
  EXPECT_EQ(bits(1 + 0x1p-10), 11);
  EXPECT_EQ(bits(1 + 0x1p-11), 12);
  EXPECT_EQ(bits(0), 0);
}

TEST(Rounded, ToSomeBitsAsEachRoundingSays) {
  const auto round = [](double x, Rounding how) { return rounded_to_bits(x, 3, how); };
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(round(sign * 1.125, Rounding::nearest), sign * 1);  // a tie, to even
    EXPECT_EQ(round(sign * 1.375, Rounding::nearest), sign * 1.5);
    EXPECT_EQ(round(sign * 1.13, Rounding::nearest), sign * 1.25);
    EXPECT_EQ(round(sign * 1.12, Rounding::nearest), sign * 1);
    EXPECT_EQ(round(sign * 1.125, Rounding::away), sign * 1.25);
    EXPECT_EQ(round(sign * 1.12, Rounding::away), sign * 1);
    EXPECT_EQ(round(sign * 1.99, Rounding::truncated), sign * 1.75);
    EXPECT_EQ(round(sign * 1.99, Rounding::nearest), sign * 2);
  }
  EXPECT_EQ(rounded_to_half(65519), 65504);
  EXPECT_EQ(rounded_to_half(65520), HUGE_VAL);
  EXPECT_EQ(rounded_to_half(-0x1p-14), -0x1p-14);
  EXPECT_EQ(rounded_to_half(0x1p-15 + 0x1p-25), 0x1p-15);  // a tie between subnormal numbers
  EXPECT_EQ(rounded_to_half(0x1p-15 + 0x1.8p-24), 0x1p-15 + 0x1p-23);
  EXPECT_EQ(rounded_to_half(1 + 0x1p-11), 1);
}

// Every probe asks for just the bits it says.
TEST(Probes, AskForTheBitsTheySay) {
  for (const Precision precision : {Precision::fp16, Precision::fp32, Precision::fp64}) {
    const int bits = significand_bits(precision);
    std::map<std::pair<PrecisionProbe::Kind, int>, int> number;
    for (const PrecisionProbe& probe : precision_probes(precision)) {
      using Kind = PrecisionProbe::Kind;
      ++number[{probe.kind, probe.bits}];
      ASSERT_EQ(probe.terms.a.size(), 2U);
      const double sum = probe.terms.a[0] * probe.terms.b[0] + probe.terms.a[1] * probe.terms.b[1];
      const double size = std::fabs(probe.exact);
      if (probe.kind == Kind::rounding) {
        // To nearest it is one step above 1, truncated 1: between half a step and a whole one.
        EXPECT_EQ(size, 1 + std::ldexp(1.0, 1 - bits));
        EXPECT_EQ(std::fabs(probe.terms.a[1] * probe.terms.b[1]), 0.75 * std::ldexp(1.0, 1 - bits));
        EXPECT_EQ(probe.terms.a[0] * probe.terms.b[0], std::copysign(1, probe.exact));
        if (precision != Precision::fp64) {
          EXPECT_EQ(rounded_to_half(probe.terms.a[1]), probe.terms.a[1]);
        }
        continue;
      }
      EXPECT_EQ(sum, probe.exact);
      if (probe.kind == Kind::input) {
        EXPECT_EQ(std::fmod(size, 2), 1);
        EXPECT_GT(size, std::ldexp(1.0, probe.bits - 1));
        EXPECT_LT(size, std::ldexp(1.0, probe.bits));
        EXPECT_TRUE(size == std::ldexp(1.0, probe.bits - 1) + 1 || size == std::ldexp(1.0, probe.bits) - 1);
      } else if (probe.kind == Kind::accumulator) {
        EXPECT_EQ(size, std::ldexp(1.0, probe.bits - 1) + 1);
        for (const double factor : {probe.terms.a[0], probe.terms.b[0], probe.terms.a[1], probe.terms.b[1]})
          EXPECT_LE(std::fabs(factor), std::ldexp(1.0, (probe.bits + 1) / 2));
      } else {
        const double outside = probe.terms.a[0] * probe.terms.b[0] / (size * size);
        EXPECT_GT(std::max(std::fabs(probe.terms.a[0]), std::fabs(probe.terms.b[0])), 65504 * (outside > 0 ? 1 : 2));
      }
    }
    for (int b = 2; b <= bits; ++b)
      EXPECT_EQ((number[{PrecisionProbe::Kind::input, b}]), precision == Precision::fp16 && b > 11 ? 0 : 6) << b;
    for (int b = 5; b <= bits; ++b) EXPECT_EQ((number[{PrecisionProbe::Kind::accumulator, b}]), 2) << b;
    EXPECT_EQ((number[{PrecisionProbe::Kind::rounding, 0}]), 2);
    EXPECT_EQ((number[{PrecisionProbe::Kind::range, 0}]), precision == Precision::fp16 ? 0 : 3);
  }
}

TEST(Probes, AreReadByKind) {
  // Inputs of four bits, and sums of any.
  std::vector<double> answers;
  for (const PrecisionProbe& probe : precision_probes(Precision::fp32)) {
    double sum = 0;
    for (std::size_t i = 0; i < 2; ++i)
      sum += rounded_to_bits(probe.terms.a[i], 4, Rounding::nearest) *
             rounded_to_bits(probe.terms.b[i], 4, Rounding::nearest);
    answers.push_back(sum);
  }
  EXPECT_EQ(measured_precision(Precision::fp32, answers)->input_bits, 4);
  EXPECT_EQ(measured_precision(Precision::fp32, answers)->accumulator_bits, 24);
  // Of two probes of the rounding both must say so.
  const std::vector<PrecisionProbe>& probes = precision_probes(Precision::fp32);
  const auto truncates = [&](bool first, bool second) {
    std::vector<double> got;
    bool one = true;
    for (const PrecisionProbe& probe : probes) {
      const bool truncated =
          probe.kind == PrecisionProbe::Kind::rounding && (std::exchange(one, false) ? first : second);
      got.push_back(truncated ? std::copysign(1, probe.exact) : probe.exact);
      if (probe.kind != PrecisionProbe::Kind::rounding) one = true;
    }
    return measured_precision(Precision::fp32, got)->truncates;
  };
  EXPECT_EQ(truncates(false, false), false);
  EXPECT_EQ(truncates(true, true), true);
  EXPECT_EQ(truncates(true, false), std::nullopt);
  EXPECT_EQ(truncates(false, true), std::nullopt);
}

// Sums of the longest vectors must fit their type, and shorter ones are of numbers that differ.
TEST(WholeSums, StayWithinTheirType) {
  for (const auto& [name, most] : {std::pair("reduce", 399.0), {"scan", 999.0}}) {
    for (const std::int64_t n : {std::int64_t{100'000}, std::int64_t{1} << 23}) {
      const Array in = kernel_named(name).inputs({.precision = Precision::int32, .size = {{"n", n}}}).front();
      double largest = 0;
      for (std::size_t i = 0; i < in.count(); ++i) largest = std::max(largest, std::fabs(in.value(i)));
      EXPECT_EQ(largest, n == 100'000 ? most : 254) << name << " " << n;
    }
  }
}

// No sum of more terms stays exact.
TEST(WholeSums, AreOfNoMoreTermsThanStayExact) {
  for (const std::int64_t k : {2047, 2048, 4096}) {
    const Problem problem{.precision = Precision::fp32, .size = {{"k", k}, {"m", 1}, {"n", 1}}};
    EXPECT_EQ(kernel_named("gemm-exact").inputs(problem).front().count(),
              static_cast<std::size_t>(std::min<std::int64_t>(k, 2048)));
  }
}

// Its bound from the formula, on numbers of three sizes: error, then error over bound.
TEST(FreivaldsFormula, IsThatOfTheDocumentation) {
  const ProductShape s{.m = 3, .n = 4, .k = 5};
  for (const double size : {1.0, 0x1p-60, 0x1p-105}) {
    Array a(Precision::fp32, 15), b(Precision::fp32, 20), c(Precision::fp32, 12);
    for (std::size_t i = 0; i < 15; ++i) a.set(i, size * (1 + static_cast<double>(i % 4)));
    for (std::size_t i = 0; i < 20; ++i) b.set(i, i % 3 == 0 ? -2 : static_cast<double>(i % 5));
    double squares_of_b = 0, rows[3] = {}, sums[3] = {};
    for (std::size_t i = 0; i < 20; ++i) squares_of_b += b.value(i) * b.value(i);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (std::size_t p = 0; p < 5; ++p) sum += a.value(i * 5 + p) * b.value(p * 4 + j);
        for (std::size_t p = 0; p < 5; ++p) sums[i] += std::fabs(a.value(i * 5 + p) * b.value(p * 4 + j));
        c.set(i * 4 + j, sum);
      }
      for (std::size_t p = 0; p < 5; ++p) rows[i] += a.value(i * 5 + p) * a.value(i * 5 + p);
    }
    EXPECT_EQ(freivalds(a, b, c, s, 3).worst_over_bound, 0);
    EXPECT_TRUE(freivalds(a, b, c, s, 3, true).right());
    const double error = size * 0x1p-15;
    c.set(6, c.value(6) + error);
    const double off = c.value(6) - (c.value(6) - error);
    const double each = probable_gamma(5, 60, 0x1p-24), lost = 20 * 0x1p-126;
    const double by_chance = 1.001 * probable_deviations(3) * each * std::sqrt(rows[1] * squares_of_b) + lost;
    const double worst = 1.001 * (gamma(5, 0x1p-24) * sums[1] + lost);
    const Freivalds found = freivalds(a, b, c, s, 3);
    EXPECT_NEAR(found.worst_over_bound / (off / std::min(by_chance, worst)), 1, 1e-9) << size;
    EXPECT_EQ(found.worst_row, 1);
    // Of whole numbers nothing but zero is right.
    c.set(6, c.value(6) - off + size * 0x1p-22);
    if (size == 1) {
      EXPECT_FALSE(freivalds(a, b, c, s, 3, true).right());
    }
  }
}

// With many columns chance is what bounds a row, and what underflow may take from so many products a part of it.
TEST(FreivaldsFormula, CountsWhatUnderflowMayTakeWhereColumnsAreMany) {
  constexpr std::size_t n = 256, k = 32;
  const double size = 0x1p-106;
  Array a(Precision::fp32, 2 * k), b(Precision::fp32, k * n), c(Precision::fp32, 2 * n);
  for (std::size_t i = 0; i < a.count(); ++i) a.set(i, size * (1 + static_cast<double>(i % 4)));
  for (std::size_t i = 0; i < b.count(); ++i) b.set(i, i % 3 == 0 ? -2 : static_cast<double>(i % 5));
  double squares_of_a = 0, squares_of_b = 0;
  for (std::size_t p = 0; p < k; ++p) squares_of_a += a.value(k + p) * a.value(k + p);
  for (const double x : b.values()) squares_of_b += x * x;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += a.value(i * k + p) * b.value(p * n + j);
      c.set(i * n + j, sum);
    }
  }
  const double before = c.value(n + 7), lost = n * k * 0x1p-126;
  c.set(n + 7, before + size);
  const double by_chance =
      1.001 * probable_deviations(2) * probable_gamma(k, 2 * n * k, 0x1p-24) * std::sqrt(squares_of_a * squares_of_b);
  EXPECT_GT(lost, by_chance / 100);
  EXPECT_GT(by_chance, lost / 100);
  const Freivalds found = freivalds(a, b, c, {.m = 2, .n = n, .k = k}, 3);
  EXPECT_NEAR(found.worst_over_bound / ((c.value(n + 7) - before) / (by_chance + lost)), 1, 1e-9);
}

TEST(WholeSums, HaveFactorsAsWideAsHalfASignificand) {
  const Problem problem{.precision = Precision::fp32, .size = {{"k", 1}, {"rows", 200'000}}, .whole_numbers = true};
  const std::vector<Array> in = kernel_named("dot").inputs(problem);
  for (const auto& [array, most] : {std::pair(in[0], 8191.0), {in[1], std::floor(0x1p24 / 8191)}}) {
    double largest = 0;
    for (const double x : array.values()) largest = std::max(largest, std::fabs(x));
    EXPECT_EQ(largest, most);
  }
}

// Large products are judged by samples and by that check.
TEST(SpotCheck, SeesWrongElementsOfAProduct) {
  const Kernel& gemm = kernel_named("gemm");
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const Problem problem{.precision = precision, .size = {{"k", 24}, {"m", 48}, {"n", 40}}, .seed = 5};
    const std::vector<Array> in = gemm.inputs(problem);
    const Expected expected = gemm.reference(problem, in).front();
    Array out(precision, expected.count());
    for (std::size_t i = 0; i < out.count(); ++i) out.set(i, expected.value[i]);
    const auto checked = [&] { return gemm.spot_check(problem, in, {out}).front(); };
    EXPECT_TRUE(checked().right());
    EXPECT_EQ(checked().agreement.elements.or_empty(), 256);
    // Of 1920 elements 256 are looked at; the others only where the check of all serves, and then by their row.
    std::size_t seen = 0;
    for (std::size_t at = 0; at < out.count(); at += at < 30 ? 7 : 97) {
      const double right = out.value(at);
      out.set(at, right + 2);
      const Comparison found = checked();
      if (!found.right()) {
        ++seen;
        for (const std::size_t wrong : found.wrong) EXPECT_EQ(wrong, at);
      }
      out.set(at, right);
    }
    if (precision == Precision::fp32)
      EXPECT_EQ(seen, 25U);
    else
      EXPECT_LT(seen, 10U);
    out.set(out.count() - 1, NAN);
    if (precision == Precision::fp32) {
      EXPECT_EQ(checked().wrong, Places{out.count() - 1});
    }
  }
}

}  // namespace
}  // namespace envdoctor::kernels::where_names_end_test
