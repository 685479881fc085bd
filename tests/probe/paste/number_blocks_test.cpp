#include "probe/paste/number_blocks.h"

#include <gtest/gtest.h>

namespace envdoctor::number_blocks_test {
namespace {

NumberBlock only(std::string_view text) {
  const std::vector<NumberBlock> blocks = number_blocks(text);
  EXPECT_EQ(blocks.size(), 1U) << text;
  return blocks.empty() ? NumberBlock{} : blocks[0];
}

TEST(NumberBlocks, KnowTheDeviceAndTheTypeThatAPrintNames) {
  const NumberBlock tensor = only(
      "out = tensor([[1.5000, -2.0000],\n        [nan, 4.2500]],\n       device='cuda:1',"
      " dtype=torch.float16)\n");
  EXPECT_EQ(tensor.array.numbers.size(), 4U);
  EXPECT_EQ(tensor.device, "cuda:1");
  EXPECT_TRUE(tensor.half);
  EXPECT_EQ(tensor.label, "out");
  EXPECT_EQ(tensor.last_row, 2U);
  EXPECT_EQ(only("[[ 0.5  1.5]\n [ 2.5  3.5]]\n<NDArray 2x2 @gpu(0)>\n").device, "gpu(0)");
  EXPECT_TRUE(only("array([ True, False])").host);
  EXPECT_TRUE(only("Array([0.25, 0.5], dtype=float32)").traced);
}

TEST(NumberBlocks, JoinRowsWithoutBrackets) {
  const NumberBlock rows = only("result:\n  1.418e+00 -6.149e-01\n  1.086e-01 -1.539e+00\n");
  EXPECT_EQ(rows.array.numbers, (std::vector<double>{1.418, -0.6149, 0.1086, -1.539}));
  EXPECT_EQ(rows.row, 1U);
  EXPECT_EQ(rows.last_row, 2U);
}

TEST(NumberBlocks, PartTwoArraysThatFollowEachOther) {
  EXPECT_EQ(number_blocks("[1.5 2.5]\n[1.5 2.6]\n").size(), 2U);
  EXPECT_EQ(number_blocks("tensor(601.12) tensor(723.25, device='cuda:1') 601.12\n").size(), 3U);
}

TEST(NumberBlocks, TakeTheWordsBesideANumber) {
  const std::vector<NumberBlock> blocks = number_blocks("y_cpu = 0.25, y_gpu = 0.26\nout[5] = 10.5 (gpu)\n");
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].label, "y_cpu");
  EXPECT_EQ(blocks[1].label, "y_gpu");
  EXPECT_EQ(blocks[2].label, "gpu");
}

TEST(NumberBlocks, KnowTheStatementThatShowsThem) {
  EXPECT_EQ(only(">>> x.cuda().sum()\ntensor(0.5)\n").statement, "x.cuda().sum()");
  EXPECT_EQ(only("x.sum()  # tensor(0.5)\n").statement, "x.sum()");
  EXPECT_EQ(only("print(x.sum())\n0.53125\n").statement, "print(x.sum())");
}

TEST(NumberBlocks, AreNoTimesVersionsAndArguments) {
  EXPECT_TRUE(number_blocks("2021-08-12 05:44:02,294 took 12.5 ms at 606.44 samples/sec\n").empty());
  EXPECT_TRUE(number_blocks("torch 1.10.0 cuda 11.8.89\n").empty());
  EXPECT_TRUE(number_blocks("x = torch.tensor([1.5, 2.5], device='cuda')\n").empty());
  EXPECT_TRUE(only("top1 = 6.50%\n").percent);
}

TEST(NumberBlocks, EndWhereTheTextDoes) {
  const NumberBlock cut = only("gpu = {Tensor: (2, 3)} tensor([[-0.1032, -4.6794],\\n  [-0.0953, -\n");
  EXPECT_FALSE(cut.array.whole);
  EXPECT_EQ(cut.label, "gpu");
  EXPECT_EQ(cut.array.numbers.size(), 3U);
}

}  // namespace
}  // namespace envdoctor::number_blocks_test
