#include "knowledge/gpus/drivers.h"

#include <gmock/gmock.h>

#include "knowledge/gpus/cuda_toolkits.h"

namespace envdoctor::knowledge::drivers_test {
namespace {

using testing::Optional;

TEST(Versions, CompareNumberByNumber) {
  EXPECT_LT(compare_versions("9.2", "10.0"), 0);
  EXPECT_GT(compare_versions("535.104.05", "535.86.10"), 0);
  EXPECT_EQ(compare_versions("12", "12.0.0"), 0);
  EXPECT_EQ(compare_versions("535.104.05", "535.104.5"), 0);
  EXPECT_GT(compare_versions("99999999999999999999.1", "1"), 0);
  EXPECT_EQ(compare_versions("", ""), 0);
  EXPECT_EQ(compare_versions("2.1rc1", "2.1"), 0);
}

TEST(MinimumDriver, FollowsTheMajorFromCuda11On) {
  EXPECT_THAT(min_driver_for_cuda("12.4"), Optional(std::string("525.60.13")));
  EXPECT_THAT(min_driver_for_cuda("12"), Optional(std::string("525.60.13")));
  EXPECT_THAT(min_driver_for_cuda("11.8"), Optional(std::string("450.80.02")));
  EXPECT_THAT(min_driver_for_cuda("13.0.1"), Optional(std::string("580.65.06")));
}

TEST(MinimumDriver, IsEachToolkitsOwnBeforeCuda11) {
  EXPECT_THAT(min_driver_for_cuda("10.2"), Optional(std::string("440.33")));
  EXPECT_THAT(min_driver_for_cuda("10.2.89"), Optional(std::string("440.33")));
  EXPECT_THAT(min_driver_for_cuda("9.0"), Optional(std::string("384.81")));
  EXPECT_THAT(min_driver_for_cuda("8.0"), Optional(std::string("367.48")));
}

TEST(MinimumDriver, OfCuda110IsTheOneItCameWith) {
  EXPECT_THAT(min_driver_for_cuda("11.0"), Optional(std::string("450.36.06")));
}

TEST(MinimumDriver, IsUnknownWhereNothingIsRecorded) {
  EXPECT_EQ(min_driver_for_cuda("6.5"), std::nullopt);
  EXPECT_EQ(min_driver_for_cuda("10"), std::nullopt);  // the minor decides
  EXPECT_EQ(min_driver_for_cuda("99.0"), std::nullopt);
  EXPECT_EQ(min_driver_for_cuda(""), std::nullopt);
}

TEST(Driver, TakesCudaUpToWhatItsBranchReports) {
  EXPECT_THAT(max_cuda_of_driver("535.104.05"), Optional(std::string("12.2")));
  EXPECT_THAT(max_cuda_of_driver("550.163.01"), Optional(std::string("12.4")));
  EXPECT_THAT(max_cuda_of_driver("470.256.02"), Optional(std::string("11.4")));
  EXPECT_THAT(max_cuda_of_driver("580.95.05"), Optional(std::string("13.0")));
  EXPECT_EQ(max_cuda_of_driver("340.108"), std::nullopt);
  EXPECT_EQ(max_cuda_of_driver("1.2"), std::nullopt);
}

TEST(Branch, LastForAnArchitecture) {
  EXPECT_THAT(last_branch_for("Tesla"), Optional(std::string("340")));
  EXPECT_THAT(last_branch_for("Fermi"), Optional(std::string("390")));
  EXPECT_THAT(last_branch_for("Kepler"), Optional(std::string("470")));
  EXPECT_THAT(last_branch_for("Pascal"), Optional(std::string("580")));
  EXPECT_EQ(last_branch_for("Hopper"), std::nullopt);
}

TEST(Branch, FirstForAnArchitecture) {
  EXPECT_THAT(first_branch_for("Blackwell"), Optional(std::string("570")));
  EXPECT_THAT(first_branch_for("Hopper"), Optional(std::string("520")));
  EXPECT_THAT(first_branch_for("Ampere"), Optional(std::string("450")));
  EXPECT_EQ(first_branch_for("Volta"), std::nullopt);  // the branch before says nothing of architectures
  EXPECT_EQ(first_branch_for("Maxwell"), std::nullopt);
}

TEST(Toolkit, KnowsTheLibrariesOfItsMajor) {
  const auto names = [](const char* major) {
    std::vector<std::string> all;
    for (const Soname& row : sonames_of_cuda(major)) all.push_back(row.soname);
    return all;
  };
  EXPECT_THAT(names("12"),
              testing::IsSupersetOf({"libcudart.so.12", "libcufft.so.11", "libcusolver.so.11", "libcurand.so.10"}));
  EXPECT_THAT(names("12"), testing::Not(testing::Contains("libcudart.so.13")));
  EXPECT_THAT(names("12"), testing::Not(testing::Contains("libamdhip64.so.6")));
  EXPECT_THAT(names("11"), testing::IsSupersetOf({"libcudart.so.11.0", "libcufft.so.10", "libcusolver.so.11"}));
  EXPECT_THAT(names("13"), testing::Contains("libcudnn.so.9"));
}

TEST(Toolkit, KnowsItsTargets) {
  const auto targets = targets_of_toolkit("12.4.1");
  ASSERT_TRUE(targets.has_value());
  EXPECT_EQ(targets->lowest, "5.0");
  EXPECT_EQ(targets->highest, "9.0");
  EXPECT_THAT(targets->native, testing::Contains("8.9"));
  EXPECT_THAT(first_toolkit_for("9.0"), Optional(std::string("11.8")));
  EXPECT_THAT(first_toolkit_for("12.0"), Optional(std::string("12.8")));
  EXPECT_THAT(last_toolkit_for("3.5"), Optional(std::string("11.8")));
  EXPECT_THAT(last_toolkit_for("6.1"), Optional(std::string("12.9")));
  EXPECT_EQ(last_toolkit_for("8.0"), std::nullopt);
}

TEST(Code, RunsWithinAMajorAndPtxOnEverythingNewer) {
  EXPECT_TRUE(native_code_runs("8.6", "8.9"));
  EXPECT_TRUE(native_code_runs("6.0", "6.1"));
  EXPECT_FALSE(native_code_runs("5.0", "6.1"));
  EXPECT_FALSE(native_code_runs("8.6", "8.0"));
  EXPECT_FALSE(native_code_runs("9.0", "10.0"));
  EXPECT_TRUE(ptx_runs("7.0", "12.0"));
  EXPECT_FALSE(ptx_runs("9.0", "8.9"));
}

TEST(CudaVersion, IsReadFromItsNumber) {
  EXPECT_EQ(cuda_version_text(12040), "12.4");
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(9020), "9.2");
}

}  // namespace
}  // namespace envdoctor::knowledge::drivers_test
