// The kernels for frameworks, and the numbers of their narrow types.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/core/kernel.h"

namespace envdoctor::kernels::framework_test {
namespace {

// As hardware rounds: nearest, ties to even, on the bits.
float rounded_to(float value, int dropped) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = (1U << (dropped - 1)) - 1 + (bits >> dropped & 1);
  return std::bit_cast<float>((bits + half) >> dropped << dropped);
}

TEST(NarrowTypes, RoundAsTheirBitsSay) {
  for (const float value : {1.0F, 1.00390625F, 1.01171875F, -3.14159265F, 0x1p-120F, 65504.0F, 1e30F, 1.5e-39F}) {
    Array bf16(Precision::bf16, 1), tf32(Precision::tf32, 1);
    bf16.set(0, value);
    tf32.set(0, value);
    EXPECT_EQ(bf16.value(0), rounded_to(value, 16)) << value;
    if (std::fabs(value) >= 0x1p-126F) {
      EXPECT_EQ(tf32.value(0), rounded_to(value, 13)) << value;
    }
  }
  Array huge(Precision::bf16, 2);
  huge.set(0, 3.4e38);
  huge.set(1, -HUGE_VAL);
  EXPECT_TRUE(std::isinf(huge.value(0)) && std::isinf(huge.value(1)));
}

class FrameworkKernels : public testing::TestWithParam<const Kernel*> {};

// Results off by a hundred of their bounds are seen at every size and precision, and so is every bound a number.
TEST_P(FrameworkKernels, HaveBoundsThatSaySomething) {
  const Kernel& kernel = *GetParam();
  for (const Precision precision : kernel.precisions) {
    for (const Sizes& size : kernel.sizes(precision, Effort::quick)) {
      const Problem problem{.precision = precision, .size = size, .seed = 3};
      const std::vector<Array> inputs = kernel.inputs(problem);
      for (const Expected& expected : kernel.reference(problem, inputs)) {
        ASSERT_TRUE(std::ranges::all_of(expected.bound, [](double b) { return !std::isnan(b); })) << kernel.name;
        double squares = 0;
        for (const double value : expected.value) squares += value * value;
        const double usual = std::sqrt(squares / static_cast<double>(expected.count()));
        const auto tighter = std::ranges::count_if(expected.bound, [=](double b) { return b < usual; });
        EXPECT_GE(2 * static_cast<std::size_t>(tighter), expected.count())
            << kernel.name << " " << text(precision) << ": most bounds are no bounds";
        Array got(precision, expected.count());
        for (std::size_t i = 0; i < expected.count(); ++i) got.set(i, expected.value[i]);
        EXPECT_TRUE(compare(got, expected).right()) << kernel.name << " " << text(precision);
        const auto at = std::ranges::find_if(expected.bound, [=](double b) { return b < usual && b > 0; });
        ASSERT_NE(at, expected.bound.end());
        const auto index = static_cast<std::size_t>(at - expected.bound.begin());
        got.set(index, expected.value[index] + 100 * *at + std::fabs(expected.value[index]));
        EXPECT_FALSE(compare(got, expected).right()) << kernel.name << " " << text(precision);
      }
    }
  }
}

std::vector<const Kernel*> all() {
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : framework_kernels()) kernels.push_back(&kernel);
  return kernels;
}

INSTANTIATE_TEST_SUITE_P(All, FrameworkKernels, testing::ValuesIn(all()),
                         [](const auto& one) { return std::string(one.param->name); });

// The formula that multiplies out, in float32, on rows whose mean is far from zero.
TEST(FrameworkLayernorm, AllowsWhatMultipliesOutAndNoVarianceInOnePass) {
  const auto kernel = std::ranges::find(framework_kernels(), std::string_view("layernorm"), &Kernel::name);
  const Problem problem{.size = {{"n", 512}, {"rows", 4}}, .seed = 2};
  const std::vector<Array> in = kernel->inputs(problem);
  const Expected expected = kernel->reference(problem, in).front();
  for (const bool one_pass : {false, true}) {
    Array got(Precision::fp32, expected.count());
    for (std::size_t row = 0; row < 4; ++row) {
      const float* x = in[0].as<float>().data() + row * 512;
      float sum = 0, squares = 0;
      for (int i = 0; i < 512; ++i) sum += x[i];
      const float mean = sum / 512;
      for (int i = 0; i < 512; ++i) squares += one_pass ? x[i] * x[i] : (x[i] - mean) * (x[i] - mean);
      const float variance = one_pass ? std::fabs(squares / 512 - mean * mean) : squares / 512;
      const float scale = 1 / std::sqrt(variance + 1e-5F);
      for (int i = 0; i < 512; ++i) {
        const float s = in[1].as<float>()[i] * scale;
        got.as<float>()[row * 512 + i] = x[i] * s + (in[2].as<float>()[i] - mean * s);
      }
    }
    EXPECT_EQ(compare(got, expected).right(), !one_pass);
  }
}

}  // namespace
}  // namespace envdoctor::kernels::framework_test
