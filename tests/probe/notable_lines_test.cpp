#include "probe/paste/notable_lines.h"

#include <gtest/gtest.h>

#include "probe/paste/log_reader.h"

namespace envdoctor::notable_lines_test {
namespace {

ReadText read(std::string_view text) { return read_log(text, "job.log").texts.get()->front(); }

std::vector<std::int64_t> lines_of(const ReadText& text) {
  std::vector<std::int64_t> lines;
  for (const TextLine& one : *text.notable.get()) lines.push_back(*one.line.get());
  return lines;
}

TEST(NotableLines, AreTheEndsOfWhatFailed) {
  const ReadText text = read(
      "epoch 1 loss 0.5\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n"
      "mypkg.OddError: it went wrong\nbye\n");
  EXPECT_EQ(text.lines.value_or(0), 5);
  EXPECT_EQ(lines_of(text), std::vector<std::int64_t>{4});
}

TEST(NotableLines, LeaveCountsAndWarningsOut) {
  EXPECT_TRUE(lines_of(read("finished with 0 errors\nWARNING: could not find a cache\nmean error: 0.1\n")).empty());
}

TEST(NotableLines, AreTheFiveThatWeighMost) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "step " + std::to_string(i) + ": file not found\n";
  text += "Segmentation fault (core dumped)\nRuntimeError: last words\n";
  const auto lines = lines_of(read(text));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[3], 51);
  EXPECT_EQ(lines[4], 52);
}

TEST(NotableLines, AreFoundAtTheEndOfALongText) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "step " + std::to_string(i) + ": file not found\n";
  text += "RuntimeError: last words\nbye\n";
  const auto lines = lines_of(read(text));
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines.front(), 1);
  EXPECT_EQ(lines.back(), 5001);
}

TEST(NotableLines, AreRedactedWholeBeforeTheyAreCut) {
  const ReadText text = read("ValueError: " + std::string(220, 'x') + " token=abcdefghijklmnop user@example.org\n");
  const std::string& line = *text.notable.get()->front().text.get();
  EXPECT_LE(line.size(), 250U);
  EXPECT_EQ(line.find("abcdefgh"), std::string::npos);
}

TEST(NotableLines, WeighByTheirForm) {
  EXPECT_GT(failure_weight("torch.OutOfMemoryError: no"), failure_weight("E0101 CUDA error: odd"));
  EXPECT_GT(failure_weight("E0101 CUDA error: odd"), failure_weight("file not found"));
  EXPECT_EQ(failure_weight("loss 0.1"), 0);
}

}  // namespace
}  // namespace envdoctor::notable_lines_test
