// Logs as written by rotation, a terminal and PowerShell, and files that are no logs.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/process.h"

namespace envdoctor::log_files_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string kept(const std::string& name) { return source_folder + std::string("/fixtures/fuzz/any_text/") + name; }

Ran diagnosed(const std::string& file) { return run_envdoctor("diagnose --format json --log " + file); }

void expect_mismatch_told(const std::string& file) {
  const Ran ran = run_envdoctor("diagnose --log " + file);
  EXPECT_EQ(ran.status, 1) << file;
  EXPECT_THAT(ran.out, HasSubstr("driver.version-mismatch")) << file;
}

void expect_refused(const std::string& file, const std::string& why) {
  const Ran ran = diagnosed(file);
  EXPECT_EQ(ran.status, 2) << file;
  EXPECT_THAT(ran.err, AllOf(HasSubstr(file), HasSubstr(why)));
  EXPECT_EQ(ran.out, "");
}

TEST(LogFile, PackedOrInUtf16TellsItsCause) {
  for (const char* name : {"packed.gz", "packed.xz", "packed.zst", "utf16.txt", "progress.txt"})
    expect_mismatch_told(kept(name));
}

TEST(LogFile, InUtf16WithoutAMarkTellsItsCause) {
  const std::string line = "start\nFailed to initialize NVML: Driver/library version mismatch\n";
  std::string little, big;
  for (const char c : line) {
    little.append({c, '\0'});
    big.append({'\0', c});
  }
  for (const std::string& text : {little, big, "\xef\xbb\xbf" + line})
    expect_mismatch_told(write_file_here("a.log", text));
}

TEST(LogFile, InUtf32TellsItsCause) {
  const std::string line = "Größe 𝄞\nFailed to initialize NVML: Driver/library version mismatch\n";
  const std::u32string text = U"Größe 𝄞\nFailed to initialize NVML: Driver/library version mismatch\n";
  for (const bool mark : {true, false}) {
    for (const bool big : {false, true}) {
      std::string bytes;
      const auto put = [&](char32_t c) {
        for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(c >> 8 * (big ? 3 - i : i) & 0xFFU);
      };
      if (mark) put(0xFEFF);
      std::ranges::for_each(text, put);
      put(0xFFFFFFFF);  // no character at all
      expect_mismatch_told(write_file_here("a.log", bytes));
    }
  }
}

TEST(LogFile, InAnEncodingOfMainframesIsRefusedByName) {
  // "Failed to initialize NVML: Driver/library version mismatch" in IBM-037.
  const std::string text =
      "\xC6\x81\x89\x93\x85\x84\x40\xA3\x96\x40\x89\x95\x89\xA3\x89\x81\x93\x89\xA9\x85\x40\xD5\xE5\xD4\xD3\x7A\x40"
      "\xC4\x99\x89\xA5\x85\x99\x61\x93\x89\x82\x99\x81\x99\xA8\x40\xA5\x85\x99\xA2\x89\x96\x95\x40\x94\x89\xA2\x94\x81"
      "\xA3\x83\x88\x25";
  expect_refused(write_file_here("a.log", text), "EBCDIC");
}

TEST(SnapshotFile, InUtf16IsRead) {
  std::string wide = "\xff\xfe";
  for (const char c : read_whole(source_folder + std::string("/docs/examples/healthy.json"))) wide.append({c, '\0'});
  const Ran ran = run_envdoctor("diagnose " + write_file_here("host.json", wide));
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST(LogFile, PackedWithZerosBehindItIsReadAsGzipDoes) {
  for (const char* name : {"packed.gz", "packed.xz", "packed.zst"}) {
    const std::string whole = read_whole(kept(name));
    for (const std::size_t zeros : {1, 3, 4, 511, 70'000})
      expect_mismatch_told(write_file_here(name, whole + std::string(zeros, '\0')));
    expect_mismatch_told(write_file_here(name, whole + std::string(512, '\0') + whole));
    for (const std::string& garbage : {std::string("x"), std::string("garbage"), std::string("\0\0\0x", 4)})
      expect_refused(write_file_here(name, whole + garbage), "something else follows behind their end");
  }
}

TEST(LogFile, TellsTheLineThatAnEditorShowsBehindAProgressBar) {
  EXPECT_THAT(diagnosed(kept("progress.txt")).out, AllOf(HasSubstr("\"line\": 2,"), Not(HasSubstr("\"line\": 3,"))));
}

TEST(LogFile, IsRefusedByNameWherePackedDataAreCutOrChanged) {
  for (const char* name : {"packed.gz", "packed.xz", "packed.zst"}) {
    const std::string whole = read_whole(kept(name));
    for (std::size_t size = 10; size < whole.size(); size += 9)
      expect_refused(write_file_here(name, whole.substr(0, size)), "packed data");
    std::string changed = whole;
    changed[whole.size() - 7] ^= 0x55;
    expect_refused(write_file_here(name, changed), " data");
    expect_refused(write_file_here(name, whole + "garbage"), " data");
  }
}

TEST(LogFile, ThatUnpacksToTooMuchIsRefusedByName) {
  const std::string bomb = test_folder() + "/bomb.gz";
  ASSERT_EQ(std::system(("head -c 270000000 /dev/zero | tr '\\0' x | gzip -1 >" + bomb).c_str()), 0);
  expect_refused(bomb, "unpacks to more than 256 MiB");
}

TEST(LogFile, ThatIsNoTextIsRefusedByName) {
  expect_refused(binary_path, "is a program or a library, not a log");
  expect_refused(write_file_here("a.pdf", "%PDF-1.7\n1 0 obj\n"), "is a PDF document");
  expect_refused(write_file_here("a.bin", std::string(1000, '\0')), "is binary");
  expect_refused(write_file_here("a.log", std::string("a\0\n\1b\2\n\3c\4", 10)), "is binary");
}

TEST(LogFile, WithANulOrBytesOfAnotherEncodingIsText) {
  for (const std::string& text : {std::string("start\0\n", 7), std::string("\xff\xc0\x80 caf\xe9\n"), std::string()})
    EXPECT_EQ(diagnosed(write_file_here("a.log", text)).status, 3);
}

// Exit 0 would be a wrong answer for whichever line is today's state.
TEST(LogFile, ThatContradictsItselfOnTheGpuProvesNothing) {
  const std::string file = write_file_here(
      "both.txt", "torch.cuda.is_available(): True\nloading the model\ntorch.cuda.is_available(): False\n");
  const Ran ran = run_envdoctor("diagnose --log " + file);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("one line says that the GPU is used"));
}

TEST(LogFile, TakesTheLaterOfTwoAnswersToOneCommandForTodaysState) {
  const std::string asked = "$ python3 -c 'import torch; print(torch.__version__, torch.cuda.is_available())'\n";
  const std::string good = asked + "2.5.0+cu124 True\n", bad = asked + "2.6.0+cpu False\n";
  EXPECT_THAT(run_envdoctor("diagnose --log " + write_file_here("worse.txt", good + "$ pip install -U x\n" + bad)).out,
              HasSubstr("runtime.cpu-only-build"));
  EXPECT_EQ(run_envdoctor("diagnose --log " + write_file_here("same.txt", good + good)).status, 0);
}

}  // namespace
}  // namespace envdoctor::log_files_test
