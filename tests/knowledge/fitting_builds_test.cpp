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

TEST(FittingBuilds, NameTheirTable) {
  EXPECT_NE(newest_fitting_build("jax", {})->table.find("jax.json, "), std::string::npos);
}

}  // namespace
}  // namespace envdoctor::knowledge::fitting_builds_test
