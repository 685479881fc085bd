#include "probe/paste/log_reader.h"

#include <gtest/gtest.h>

namespace envdoctor::log_test {
namespace {

std::vector<Symptom> events(std::string_view text) {
  const Snapshot snapshot = read_log(text, "train.log");
  EXPECT_NE(snapshot.log.get(), nullptr);
  return *snapshot.log.get();
}

constexpr std::string_view mismatch = "Failed to initialize NVML: Driver/library version mismatch";

TEST(LogReader, GivesTheLineAndTheSourceOfAnEvent) {
  const auto all = events("starting\nloading data\n" + std::string(mismatch) + "\ndone\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_TRUE(all[0].is({SymptomClass::mismatch, "driver-library-version"}));
  EXPECT_TRUE(all[0].source.is("train.log"));
  EXPECT_TRUE(all[0].line.is(3));
}

TEST(LogReader, GivesTheBeginningOfTheLineCutBetweenWords) {
  EXPECT_TRUE(events("\x1b[31m" + std::string(mismatch) + "\x1b[0m\n").at(0).text.is(std::string(mismatch)));
  const std::string tail(300, 'x');
  EXPECT_TRUE(events(std::string(mismatch) + " " + tail).at(0).text.is(std::string(mismatch) + " ..."));
  EXPECT_TRUE(events(tail + std::string(mismatch)).at(0).text.is(" ..."));
}

TEST(LogReader, WithholdsSecretsInTheTextOfALine) {
  const auto all = events(std::string(mismatch) + " password=hunter2xyz\n");
  EXPECT_EQ(all.at(0).text.get()->find("hunter2xyz"), std::string::npos);
}

TEST(LogReader, ReadsALastLineWithoutAnEnd) { EXPECT_EQ(events(mismatch).size(), 1U); }

TEST(LogReader, ReadsTheSameHoweverTheTextIsCut) {
  const std::string text = "a\r\n" + std::string(mismatch) + "\r\n\nNVML library version: 535.171\n";
  const Snapshot whole = read_log(text, "x");
  for (std::size_t size = 1; size < text.size(); ++size) {
    LogReader reader("x");
    for (std::size_t at = 0; at < text.size(); at += size) reader.feed(std::string_view(text).substr(at, size));
    EXPECT_EQ(reader.finish(), whole) << size;
  }
}

TEST(LogReader, KeepsThreeOfEqualEventsAndCountsThem) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::string(mismatch) + "\n";
  const auto all = events(text);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].detail("count"), "500");
  EXPECT_TRUE(all[2].line.is(3));
}

TEST(LogReader, KeepsABoundedNumberOfEventsThatDifferInAField) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "NVML library version: 1." + std::to_string(i) + "\n";
  EXPECT_EQ(events(text).size(), 64U);
}

TEST(LogReader, CountsEmptyLinesHoweverManyAndHoweverCut) {
  const std::string text = std::string(1000, '\n') + "a\n\n\n" + std::string(mismatch) + "\n\n\n";
  EXPECT_TRUE(events(text).at(0).line.is(1004));
  const Snapshot whole = read_log(text, "x");
  for (const std::size_t size : {1U, 3U, 999U, 1001U}) {
    LogReader reader("x");
    for (std::size_t at = 0; at < text.size(); at += size) reader.feed(std::string_view(text).substr(at, size));
    EXPECT_EQ(reader.finish(), whole) << size;
  }
}

// What a row has said five hundred times is passed over, but no other row is.
TEST(LogReader, HearsALateLineBehindAnyNumberOfOthers) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += std::string(mismatch) + " " + std::to_string(i) + "\n";
  text += "NVRM: Xid (PCI:0000:65:00): 79, pid=1, GPU has fallen off the bus.\n";
  const auto all = events(text);
  EXPECT_TRUE(all[0].line.is(1));
  EXPECT_EQ(all[0].detail("count"), "500");
  EXPECT_TRUE(all.back().line.is(2001)) << "the last line";
}

TEST(LogReader, HearsALateCodeBehindAnyNumberOfOthers) {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += "NVRM: Xid (PCI:0000:65:00): 13, pid=" + std::to_string(i) + "\n";
  text += "NVRM: Xid (PCI:0000:65:00): 79, pid=1\n";
  const auto all = events(text);
  EXPECT_EQ(all.at(0).detail("count"), "2000");
  EXPECT_EQ(all.back().detail("code"), "79");
}

TEST(LogReader, SurvivesBinaryHugeLinesAndEmptyText) {
  std::string binary;
  for (int i = 0; i < 100000; ++i) binary += static_cast<char>((i * 7919) >> 3);
  EXPECT_TRUE(events(binary).empty());
  EXPECT_TRUE(events("").empty());
  EXPECT_EQ(events(std::string(mismatch) + std::string(1 << 20, 'x') + "\n" + std::string(mismatch)).size(), 2U);
  EXPECT_TRUE(events(std::string(1 << 20, 'x') + std::string(mismatch)).empty());  // beyond where a line is cut
}

TEST(LogReader, KnowsAnXidThatSomebodyNames) {
  const auto code = [](std::string_view text) {
    const auto all = events(text);
    return all.empty() ? std::string() : all[0].detail("code");
  };
  EXPECT_EQ(code("Training dies after an hour. I get Xid 79 every time.\n"), "79");
  EXPECT_EQ(code("XID: 31 errors in dmesg when the second job starts\n"), "31");
  EXPECT_EQ(code("since the move we see XID error 48 and then xid 63\n"), "48");
  EXPECT_EQ(code("- Xid 94 bursts, then a reset\n"), "94");
  EXPECT_EQ(code("there was no Xid 79 in the log\n"), "");
  EXPECT_EQ(code("it works without Xid 13\n"), "");
  EXPECT_EQ(code("waxid 13\n"), "");
}

TEST(PlainLogLine, DropsWhatStandsBeforeAndAroundTheProgramsWords) {
  std::string scratch;
  EXPECT_EQ(plain_log_line("\x1b[31mError:\x1b[0m no\r", scratch), "Error: no");
  EXPECT_EQ(plain_log_line("2024-05-01T12:00:00.1234567Z [rank3]: > > text", scratch), "text");
  EXPECT_EQ(plain_log_line("[pod/trainer-0/main] text", scratch), "text");
  EXPECT_EQ(plain_log_line("\u9a71\u52a8\uff1a430.64\uff08\uff23\uff35\uff24\uff21\uff5e\uff09 \u2018a\u201d", scratch),
            "\u9a71\u52a8:430.64(CUDA~) 'a\"");
  EXPECT_EQ(plain_log_line("[default0]:text", scratch), "text");
  EXPECT_EQ(plain_log_line("[1,0]<stderr>:text", scratch), "text");
  EXPECT_EQ(plain_log_line("(RayTrainWorker pid=812, ip=10.0.0.7) text", scratch), "text");
  EXPECT_EQ(plain_log_line("trainer-1  | 2024-05-01T12:00:00Z text", scratch), "text");
  EXPECT_EQ(plain_log_line(R"({"level":"error","msg":"no \"nvidia\" here\n"})", scratch),
            R"({"level":"error","msg":"no "nvidia" here "})");
  EXPECT_EQ(plain_log_line("2024-05-01T12:00:00.1234567Z stderr F text", scratch), "text");
  EXPECT_EQ(plain_log_line("a &gt; b &amp;&amp; &#39;c&#39; &quot;d&quot; &unknown;", scratch),
            "a > b && 'c' \"d\" &unknown;");
  EXPECT_EQ(plain_log_line("[rank without an end", scratch), "[rank without an end");
  EXPECT_EQ(plain_log_line("\x1b[", scratch), "");
}

TEST(PlainLogLine, LeavesWhatOnlyLooksLikeAMark) {
  std::string scratch;
  for (const char* line : {"| 0  NVIDIA L4  On |", "GPU-1 | Name", "a-b  | c", "[1] done", "(see pid) x", "x | y",
                           "[0,1]", "<name>A &amp; B</name>"})
    EXPECT_EQ(plain_log_line(line, scratch), line);
}

TEST(LogReader, JoinsAMessageThatAConsoleBroke) {
  const auto kinds = [](std::string_view text) {
    std::string all;
    const Snapshot snapshot = read_log(text, "a.log");
    for (const Symptom& one : snapshot.log.or_empty()) all += *one.subject.get() + ' ';
    return all;
  };
  const std::string first =
      "WARNING in the notebook of the group: an NVIDIA GPU may be present, but a CUDA-enabled jaxlib";
  EXPECT_EQ(kinds(first + "\nis not installed. Falling back to cpu.\n"), "jax-cuda-build ");
  EXPECT_EQ(kinds(first + ".\nis not installed. Falling back to cpu.\n"), "") << "the sentence had ended";
  EXPECT_EQ(kinds(first + "\nIs not installed. Falling back to cpu.\n"), "") << "another line begins";
  EXPECT_EQ(kinds("CUDA-enabled jaxlib\nis not installed.\n"), "") << "too short to be broken";
}

}  // namespace
}  // namespace envdoctor::log_test
