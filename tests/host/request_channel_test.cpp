// A program that answers one request after another, and one that misbehaves.
#include "host/process/request_channel.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace envdoctor::request_channel_test {
namespace {

// The other side in Python: `answer` is run for each question.
std::vector<std::string> program(const std::string& answer) {
  return {"/usr/bin/python3", "-I", "-S", "-c",
          "import os, struct, sys, time\n"
          "def frame(kind, text): os.write(3, struct.pack('=Ic', len(text), kind) + text)\n"
          "while True:\n"
          "  head = os.read(3, 5)\n"
          "  if not head: sys.exit(0)\n"
          "  question = os.read(3, struct.unpack('=Ic', head)[0])\n" +
              answer};
}

std::string over(RequestChannel& channel) {
  try {
    return "answered " + channel.request("?", {});
  } catch (const RequestChannelClosed& why) {
    return why.what();
  }
}

TEST(RequestChannel, GoesBackAndForth) {
  RequestChannel channel(program("  frame(b's', b'thinking'); frame(b'a', question[::-1])\n"), {}, -1, 1000);
  std::string steps;
  const auto note = [&](const std::string& step) { steps += step; };
  EXPECT_EQ(channel.request("abc", note), "cba");
  EXPECT_EQ(channel.request("xyz", note), "zyx");
  EXPECT_EQ(steps, "thinking");
}

TEST(RequestChannel, SharesAFile) {
  const int shared = memfd_create("shared", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(shared, 4), 0);
  RequestChannel channel(program("  os.pwrite(4, b'abcd', 0); frame(b'a', b'')\n"), {}, shared, 1000);
  channel.request("write", {});
  char bytes[4] = {};
  EXPECT_EQ(pread(shared, bytes, 4, 0), 4);
  EXPECT_EQ(std::string(bytes, 4), "abcd");
  close(shared);
}

TEST(RequestChannel, TellsHowItsProgramEnded) {
  RequestChannel crashing(program("  frame(b's', b'the call'); os.kill(os.getpid(), 11)\n"), {}, -1, 1000);
  EXPECT_EQ(over(crashing), "ended by SIGSEGV in the call");
  EXPECT_EQ(over(crashing), "the program has ended");
  RequestChannel leaving(program("  sys.exit(7)\n"), {}, -1, 1000);
  EXPECT_EQ(over(leaving), "ended with status 7");
  RequestChannel missing({"/nonexistent"}, {}, -1, 1000);
  EXPECT_EQ(over(missing), "/nonexistent cannot be started: No such file or directory");
}

TEST(RequestChannel, EndsAProgramThatMakesNoSenseOrTakesTooMuch) {
  RequestChannel senseless(program("  os.write(3, bytes(4) + b'z')\n"), {}, -1, 1000);
  EXPECT_EQ(over(senseless), "its answer is malformed");
  RequestChannel greedy(program("  b = bytearray(b'x' * (300 << 20)); time.sleep(30)\n"), {}, -1, 100);
  EXPECT_EQ(over(greedy), "took more than 100 MiB of memory");
}

TEST(RequestChannel, IsOverWhereTheProgramClosesItsSideAndLivesOn) {
  RequestChannel silent(program("  os.close(3); time.sleep(30)\n"), {}, -1, 1000);
  EXPECT_EQ(over(silent).substr(0, 5), "ended");
}

}  // namespace
}  // namespace envdoctor::request_channel_test
