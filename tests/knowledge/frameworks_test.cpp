#include "knowledge/frameworks/frameworks.h"

#include <gmock/gmock.h>

namespace envdoctor::knowledge::frameworks_test {
namespace {

using testing::Contains;
using testing::Optional;

TEST(Tensorflow, NeedsTheLibrariesOfItsRelease) {
  const auto needs = tensorflow_needs("2.15.1");
  ASSERT_TRUE(needs.has_value());
  EXPECT_EQ(needs->cuda, "12.2");
  EXPECT_EQ(needs->cudnn, "8.9");
  EXPECT_EQ(needs->cudnn_soname, "libcudnn.so.8");
  EXPECT_THAT(needs->sonames, Contains("libcudart.so.12"));
  EXPECT_EQ(tensorflow_needs("2.18")->cudnn_soname, "libcudnn.so.9");
  EXPECT_EQ(tensorflow_needs("2.10")->cuda, "11.2");
  EXPECT_EQ(tensorflow_needs("2.18")->lowest_capability, "6.0");
  EXPECT_EQ(tensorflow_needs("1.15")->gpu_packages.front(), "tensorflow-gpu");
  EXPECT_FALSE(tensorflow_needs("9.9").has_value());
}

TEST(Torch, NamesItsCudaInTheLocalTag) {
  EXPECT_THAT(cuda_of_torch_version("2.4.1+cu121"), Optional(std::string("12.1")));
  EXPECT_THAT(cuda_of_torch_version("1.7.1+cu92"), Optional(std::string("9.2")));
  EXPECT_THAT(cuda_of_torch_version("1.12.0+cu102"), Optional(std::string("10.2")));
  EXPECT_EQ(cuda_of_torch_version("2.4.1+cpu"), std::nullopt);
  EXPECT_EQ(cuda_of_torch_version("2.4.1+rocm6.1"), std::nullopt);
  EXPECT_EQ(cuda_of_torch_version("2.4.1"), std::nullopt);
  EXPECT_EQ(cuda_of_torch_version("2.4.1+cu"), std::nullopt);
}

TEST(Torch, HasCompiledTargets) {
  const auto targets = torch_targets("2.5.1", "12.4");
  ASSERT_TRUE(targets.has_value());
  EXPECT_EQ(targets->sass.front(), "5.0");
  EXPECT_THAT(targets->sass, testing::Not(Contains("12.0")));  // no Blackwell
  EXPECT_THAT(torch_targets("2.8.0", "12.8")->sass, Contains("12.0"));
  EXPECT_FALSE(torch_targets("2.5.1", "9.0").has_value());
}

TEST(Jax, NeedsADriverForEachCudaMajor) {
  const auto needs = jax_needs("0.7.0", "13");
  ASSERT_TRUE(needs.has_value());
  EXPECT_EQ(needs->driver, "580");
  EXPECT_EQ(needs->lowest_capability, "7.5");
  EXPECT_EQ(jax_needs("0.4.30", "12")->driver, "525.60.13");
  EXPECT_FALSE(jax_needs("0.4.30", "11").has_value());
}

}  // namespace
}  // namespace envdoctor::knowledge::frameworks_test
