// Frames around every line of a text: found where all lines have them, and nowhere else.
#include "probe/transcript/framed_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "probe/paste/log_reader.h"

namespace envdoctor {
namespace {

const std::vector<std::string> session = {"$ nvidia-smi -L", "GPU 0: NVIDIA L4 (UUID: GPU-1)", "",
                                          "$ python -c \"import torch; print(torch.cuda.is_available())\"", "False"};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

template <class Frame>
std::string framed(const Frame& frame) {
  std::vector<std::string> lines;
  for (const std::string& line : session) lines.push_back(frame(line, lines.size() + 1));
  return joined(lines);
}

std::string quoted(const std::string& line) {
  std::string text;
  for (const char c : line) text += c == '"' ? "\\\"" : std::string(1, c);
  return text;
}

TEST(FramedText, LosesTheFrameThatAllLinesHave) {
  const auto prefixed = [](const std::string& prefix) {
    return framed([&](const std::string& line, std::size_t) { return prefix + line; });
  };
  const std::string plain = joined(session);
  EXPECT_EQ(without_frame(prefixed("Dec  1 10:00:00 node7 job.sh[4242]: ")), plain);
  EXPECT_EQ(without_frame(prefixed("2026-12-01 10:00:00,123 - root - INFO - ")), plain);
  EXPECT_EQ(without_frame(prefixed("E   ")), plain);
  EXPECT_EQ(without_frame(prefixed("- ")), plain);
  EXPECT_EQ(without_frame(prefixed("0: ")), plain);
  EXPECT_EQ(without_frame(
                framed([](const std::string& line, std::size_t) { return line.empty() ? line : "`" + line + "`"; })),
            plain);
  EXPECT_EQ(without_frame(framed([](const std::string& line, std::size_t) {
              return R"({"log":")" + quoted(line) + R"(\n","stream":"stdout","time":"2026-12-01T10:00:00Z"})";
            })),
            plain);
}

TEST(FramedText, LosesNumbersThatRiseFromLineToLine) {
  std::string numbered, plain;
  for (int i = 1; i <= 20; ++i) {
    numbered += (i < 10 ? " " : "") + std::to_string(i) + (i % 5 == 0 ? "" : "\tline") + "\n";
    plain += i % 5 == 0 ? "\n" : "line\n";
  }
  EXPECT_EQ(without_frame(numbered), plain);
}

TEST(FramedText, LeavesWhatIsNoFrame) {
  for (const std::vector<std::string>& lines : std::vector<std::vector<std::string>>{
           session,
           {"0: NVIDIA L4", "1: NVIDIA L4", "2: NVIDIA A10", "3: NVIDIA A10"},  // a list of devices
           {"E   a", "E   b", "E   c", "d"},                                    // one line without it
           {"1  a", "2  b", "4  c", "5  d"},                                    // numbers of something else
           {"Dec  1 10:00:00 a x[1]: 1", "Dec  1 10:00:00 a y[1]: 2", "Dec  1 10:00:00 a x[1]: 3",
            "Dec  1 10:00:00 a y[1]: 4"},
           {R"({"msg":"a","error":"b"})", R"({"msg":"a","error":"b"})", R"({"msg":"a","error":"b"})",
            R"({"msg":"a","error":"b"})"},
           {"- a", "- b"},
           {}})
    EXPECT_EQ(without_frame(joined(lines)), std::nullopt) << joined(lines);
}

TEST(FramedText, IsTakenOffWhereOneStandsAroundTheOther) {
  const Snapshot snapshot = read_log(
      framed([](const std::string& line, std::size_t) { return "2026-12-01 10:00:00,123 - root - INFO - 0: " + line; }),
      "x.log");
  ASSERT_TRUE(snapshot.torch.get());
  EXPECT_TRUE(snapshot.torch.get()->cuda_available.is(false));
}

// Each was taken off by a reader of its own, inside the one before.
TEST(FramedText, DoesNotEndTheProgramHoweverManyThereAre) {
  std::string line, text;
  for (int i = 0; i < 30'000; ++i) line += "- ";
  for (int i = 0; i < 4; ++i) text += line + "x\n";
  EXPECT_EQ(read_log(text, "x.log").texts.get()->front().lines.value_or(0), 4);
}

// The line that a finding names is that of the file.
TEST(FramedText, KeepsTheNumbersOfTheLines) {
  const Snapshot snapshot =
      read_log(framed([](const std::string& line, std::size_t) { return "0: " + line; }), "x.log");
  ASSERT_TRUE(snapshot.torch.get());
  EXPECT_TRUE(snapshot.torch.get()->cuda_available.is(false));
  EXPECT_EQ(snapshot.sources.get()->at("/torch/cuda_available").line.value_or(0), 5);
}

}  // namespace
}  // namespace envdoctor
