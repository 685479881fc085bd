#include "knowledge/frameworks/fitting_builds.h"

#include <gtest/gtest.h>

#include "knowledge/gpus/drivers.h"

namespace envdoctor::knowledge::fitting_builds_test {
namespace {

TEST(FittingBuilds, TakeTheDriver) {
  const auto old = newest_fitting_build("torch", {.driver = "470.199.02"});
  ASSERT_TRUE(old.has_value());
  EXPECT_EQ(major_of(old->cuda), "11") << "470 serves CUDA 11";
  const auto middle = newest_fitting_build("torch", {.driver = "550.54.14"});
  EXPECT_EQ(major_of(middle->cuda), "12");
  EXPECT_GT(compare_versions(middle->version, old->version), 0);
  EXPECT_EQ(newest_fitting_build("torch", {.driver = "100.1"}), std::nullopt);
}

TEST(FittingBuilds, TakeTheGpu) {
  const auto pascal = newest_fitting_build("torch", {.capability = "6.1"});
  ASSERT_TRUE(pascal.has_value());
  EXPECT_EQ(pascal->cuda, "12.6") << "later builds hold nothing for it";
  const auto blackwell = newest_fitting_build("torch", {.driver = "570.10", .capability = "12.0"});
  ASSERT_TRUE(blackwell.has_value());
  EXPECT_GE(compare_versions(blackwell->cuda, "12.8"), 0);
}

TEST(FittingBuilds, TakeThePython) {
  const auto old = newest_fitting_build("tensorflow", {.python = "3.8.10"});
  ASSERT_TRUE(old.has_value());
  EXPECT_EQ(old->version, "2.13");
  EXPECT_EQ(newest_fitting_build("tensorflow", {.python = "2.6"}), std::nullopt);
  EXPECT_TRUE(newest_fitting_build("jax", {.python = "3.12.1"}).has_value());
}

TEST(FittingBuilds, OfVllmFollowThePyTorchThatItPins) {
  const auto twelve = newest_fitting_build("vllm", {.driver = "550.54.14", .capability = "8.0", .python = "3.11.4"});
  ASSERT_TRUE(twelve.has_value());
  EXPECT_EQ(major_of(twelve->cuda), "12") << "0.20 and later want CUDA 13";
  EXPECT_EQ(twelve->version, "0.19.1");
  EXPECT_EQ(twelve->torch, "2.10");
  EXPECT_NE(twelve->table.find("vllm.json, "), std::string::npos);
  const auto volta = newest_fitting_build("vllm", {.driver = "580.65.06", .capability = "7.0"});
  ASSERT_TRUE(volta.has_value());
  EXPECT_LT(compare_versions(volta->version, "0.20"), 0);
  EXPECT_EQ(newest_fitting_build("vllm", {.capability = "6.1"}), std::nullopt) << "vLLM takes 7.0 and later";
  EXPECT_EQ(newest_fitting_build("vllm", {.driver = "470.199.02"}), std::nullopt);
}

TEST(FittingBuilds, HoldTheReadyWheelsOfFlashAttention) {
  const auto wheel = flash_attention_wheel("2.8.0+cu128", "3.12.3");
  ASSERT_TRUE(wheel.has_value());
  EXPECT_EQ(wheel->file, "flash_attn-2.8.3+cu12torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl");
  EXPECT_TRUE(wheel->address.starts_with("https://github.com/Dao-AILab/flash-attention/releases/download/v2.8.3/"));
  EXPECT_EQ(flash_attention_wheel("2.6.0", "3.10.1")->file,
            "flash_attn-2.8.3+cu12torch2.6cxx11abiFALSE-cp310-cp310-linux_x86_64.whl");
  EXPECT_FALSE(flash_attention_wheel("2.14.0", "3.12.3").has_value());
  EXPECT_FALSE(flash_attention_wheel("2.9.1", "3.10.0").has_value()) << "for 3.12 only";
  EXPECT_TRUE(flash_attention_wheel("2.9.1", "")->file.empty());
  EXPECT_EQ(lowest_capability_of_flash_attention(), "8.0");
}

TEST(FittingBuilds, NameTheirTable) {
  EXPECT_NE(newest_fitting_build("jax", {})->table.find("jax.json, "), std::string::npos);
}

}  // namespace
}  // namespace envdoctor::knowledge::fitting_builds_test
