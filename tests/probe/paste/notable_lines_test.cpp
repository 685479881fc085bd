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

TEST(NotableLines, NameNobodyAndNoHost) {
  const ReadText text = read("OSError: corvina's queue on tarnhill is closed\n");
  const std::string& line = *text.notable.get()->front().text.get();
  EXPECT_EQ(line.find("corvina"), std::string::npos) << line;
  EXPECT_EQ(line.find("tarnhill"), std::string::npos) << line;
}

TEST(NotableLines, HoldComplaintsWhereNothingFailed) {
  const ReadText text = read("Tesla T4, CUDA 12.4\nThe port of the card doesn't exist any more.\nbye\n");
  EXPECT_TRUE(text.notable.get()->empty());
  ASSERT_EQ(text.complaints.or_empty().size(), 1U);
  EXPECT_EQ(text.complaints.get()->front().line.value_or(0), 2);
  EXPECT_EQ(text.about.or_empty(), (std::vector<std::string>{"cuda*", "tesla*"}));
  EXPECT_FALSE(read("It is not there.\nValueError: no\n").complaints.get()) << "the error says more";
}

TEST(NotableLines, KnowASentenceThatComplains) {
  for (const char* line :
       {"Direct access to the card is restricted; see the manual.", "The node's setting has an invalid value",
        "Why is it so slow?", "The job has been stuck for an hour", "it just isn't working since the update",
        "The display driver stopped responding and has recovered", "worker exited with code 3", "Does this use my GPU?",
        "All the layers are put on the CPU:", "the first two runs disagree", "only using 3 % of the card"})
    EXPECT_TRUE(complains(line)) << line;
}

TEST(NotableLines, TakeNoTableNoCommandAndNoChatterForAComplaint) {
  for (const char* line :
       {"    HW Slowdown                  : Not Active", "| GPU  Name        Persistence-M| Bus-Id | not shown |",
        "$ nvidia-smi -q | grep -A8 'Clocks Throttle'", "INFO 01-02 the cache is not used",
        "level=INFO it is not there", "UserWarning: this value is not used", "trained 10 epochs in 8 minutes",
        "process finished with exit code 0", "if (x != nan) { return wrong; }", "Epoch 5: val_loss did not improve",
        "GPU 0: Tesla T4 (UUID: GPU-1)"})
    EXPECT_FALSE(complains(line)) << line;
}

TEST(NotableLines, WeighByTheirForm) {
  EXPECT_GT(failure_weight("torch.OutOfMemoryError: no"), failure_weight("E0101 CUDA error: odd"));
  EXPECT_GT(failure_weight("E0101 CUDA error: odd"), failure_weight("file not found"));
  EXPECT_EQ(failure_weight("loss 0.1"), 0);
}

}  // namespace
}  // namespace envdoctor::notable_lines_test
