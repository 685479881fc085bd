// Rounding by the processor and by hand.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kernels/core/array.h"
#include "kernels/core/random.h"

namespace envdoctor::kernels::rounding_test {
namespace {

float rounded(double high, double low) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(rounded_bits(Precision::fp32, high, low)));
}

TEST(Rounding, ToFloatIsDecidedByWhatLiesBehindATie) {
  const double tie = 1 + 0x1p-24;
  EXPECT_EQ(rounded(tie, 0), 1.0F);  // to even
  EXPECT_EQ(rounded(tie, 1e-30), 1.0F + 0x1p-23F);
  EXPECT_EQ(rounded(tie, -1e-30), 1.0F);
  EXPECT_EQ(rounded(-tie, -1e-30), -1.0F - 0x1p-23F);
  const double odd_tie = 1 + 3 * 0x1p-24;
  EXPECT_EQ(rounded(odd_tie, 0), 1.0F + 0x1p-22F);
  EXPECT_EQ(rounded(odd_tie, -1e-30), 1.0F + 0x1p-23F);
}

TEST(Rounding, ToFloatKeepsSubnormalsAndOverflows) {
  EXPECT_EQ(rounded(0x1p-149, 0), 0x1p-149F);
  EXPECT_EQ(rounded(0x1.8p-149, 0), 0x1p-148F);       // a tie to even
  EXPECT_EQ(rounded(0x1.8p-149, -1e-60), 0x1p-149F);  // no tie
  EXPECT_EQ(rounded(0x1p-150, 0), 0.0F);
  EXPECT_EQ(rounded(0x1p-150, 1e-60), 0x1p-149F);
  EXPECT_EQ(rounded(1e39, 0), std::numeric_limits<float>::infinity());
  EXPECT_EQ(rounded(-1e39, 1), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(rounded(0x1.ffffffp127, 0), std::numeric_limits<float>::infinity());  // a tie
  EXPECT_EQ(rounded(0x1.ffffffp127, -1e10), std::numeric_limits<float>::max());
  EXPECT_TRUE(std::signbit(rounded(-0.0, 0)));
}

// Against long double, which holds the sum exactly.
TEST(Rounding, ToFloatAgreesWithAWiderType) {
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const double high = std::ldexp(normal(1, 0, i), static_cast<int>(i % 60) - 30);
    const double low = high * 0x1p-54 * normal(1, 1, i) / 4;
    EXPECT_EQ(rounded(high, low), static_cast<float>(static_cast<long double>(high) + low)) << high << " " << low;
  }
}

}  // namespace
}  // namespace envdoctor::kernels::rounding_test
