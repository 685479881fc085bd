#include "evidence/compute_results.h"

#include <gtest/gtest.h>

#include <set>

#include "evidence/median.h"

namespace envdoctor::compute_test {
namespace {

TEST(WrongResult, HasAWordOfItsOwnThatReadsBack) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(WrongResult::unnamed); ++i) {
    const auto kind = static_cast<WrongResult>(i);
    EXPECT_TRUE(words.insert(text(kind)).second) << text(kind);
    EXPECT_EQ(wrong_result_of(text(kind)), kind) << text(kind);
  }
  EXPECT_EQ(text(WrongResult::tf32_inputs), "tf32-inputs");
  EXPECT_EQ(text(WrongResult::other_calculation), "other-calculation");
  EXPECT_EQ(wrong_result_of("a word of a later version"), std::nullopt);
}

TEST(ProblemName, HoldsKernelPrecisionAndSizesByName) {
  ComputeResult result{.kernel = "gemm", .precision = "fp32"};
  EXPECT_EQ(full_problem_name(result), "gemm fp32");
  result.size = std::map<std::string, std::int64_t>{{"n", 64}, {"k", 32}};
  EXPECT_EQ(full_problem_name(result), "gemm fp32 k=32 n=64");
  EXPECT_EQ(full_problem_name(ComputeResult{}), "");
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoThere) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({9, 1, 5, 4}), 4.5);
}

}  // namespace
}  // namespace envdoctor::compute_test
