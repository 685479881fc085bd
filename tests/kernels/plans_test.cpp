// The requirements of kernels on a device, for sizes that need more memory than the test machines have.
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "kernels/core/kernel.h"

namespace envdoctor::kernels::plans_test {
namespace {

const Kernel& pattern() { return *std::ranges::find(all_kernels(), std::string_view("pattern"), &Kernel::name); }

TEST(Pattern, CountsWordsBeyondFourGibibytes) {
  constexpr std::int64_t words = (std::int64_t{1} << 32) + 3;
  for (const Variant variant : {Variant::cpu, Variant::gpu, Variant::host}) {
    const Plan plan = pattern().plan({.precision = Precision::uint32, .size = {{"n", words}}}, variant, {});
    for (const BufferSpec& buffer : plan.buffers) EXPECT_EQ(buffer.bytes, std::size_t{4} * words);
    for (const Step& step : plan.steps) {
      const std::size_t words_an_item = variant == Variant::cpu ? 16 : 1;
      EXPECT_GE(step.global[0] * words_an_item, static_cast<std::size_t>(words)) << step.function;
      EXPECT_EQ(step.global[0] % step.local[0], 0U);
      EXPECT_TRUE(std::ranges::any_of(step.arguments, [](const Argument& argument) {
        const auto* count = std::get_if<std::uint64_t>(&argument);
        return count && *count == static_cast<std::uint64_t>(words);
      })) << step.function;
    }
  }
}

// Every group divides the work, and no step lacks items, for each kernel at each of its sizes.
TEST(Plans, DivideTheirWorkIntoWholeGroups) {
  for (const Kernel& kernel : all_kernels()) {
    for (const Precision precision : kernel.precisions) {
      for (const Sizes& size : kernel.sizes(precision, Effort::full)) {
        for (const std::size_t most : {256, 1024}) {
          const Plan plan =
              kernel.plan({.precision = precision, .size = size}, Variant::gpu, {.max_local_items = most});
          ASSERT_FALSE(plan.steps.empty() || plan.outputs.empty()) << kernel.name;
          for (const Step& step : plan.steps) {
            std::size_t items = 1;
            for (std::size_t d = 0; d < 3; ++d) {
              ASSERT_GT(step.local[d], 0U) << kernel.name;
              EXPECT_EQ(step.global[d] % step.local[d], 0U) << kernel.name << " " << step.function;
              items *= step.local[d];
            }
            EXPECT_LE(items, most) << kernel.name << " " << step.function;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace envdoctor::kernels::plans_test
