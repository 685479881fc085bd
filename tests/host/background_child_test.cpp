#include "host/process/background_child.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "host/files/kernel_queries.h"
#include "host/process/foreground.h"

namespace envdoctor::background_child_test {
namespace {

void until_told(int ending) {
  pollfd wait_for{.fd = ending, .events = POLLIN, .revents = 0};
  ::poll(&wait_for, 1, 20'000);
}

TEST(BackgroundChild, AnswersAsOftenAsItLikesAndOnceMoreAtTheEnd) {
  BackgroundChild one([](const Channel& channel, int ending) {
    channel.answer("first");
    until_told(ending);
    channel.answer("last");
  });
  pollfd news{.fd = one.descriptor(), .events = POLLIN, .revents = 0};
  // An answer may come in pieces.
  do {
    ASSERT_EQ(::poll(&news, 1, 20'000), 1);
  } while (!one.read());
  EXPECT_EQ(one.answer(), "first");
  EXPECT_TRUE(one);
  one.end(Milliseconds(20'000));
  EXPECT_EQ(one.answer(), "last");
  EXPECT_FALSE(one);
}

TEST(BackgroundChild, ThatCrashesIsNamedWithTheCallItWasIn) {
  BackgroundChild one([](const Channel& channel, int) {
    channel.step("nvmlInit");
    raise(SIGSEGV);
  });
  one.end(Milliseconds(20'000));
  EXPECT_EQ(one.answer(), "");
  EXPECT_EQ(one.why_over(), "ended by SIGSEGV in nvmlInit");
}

TEST(BackgroundChild, ThatHangsIsKilled) {
  BackgroundChild one([](const Channel& channel, int) {
    signal(SIGTERM, SIG_IGN);
    channel.step("nvmlInit");
    while (true) pause();
  });
  one.end(Milliseconds(300));
  EXPECT_FALSE(one);
  EXPECT_EQ(one.why_over(), "gave no final answer: hangs in nvmlInit");
}

TEST(NodeOpens, CountsWhoeverOpens) {
  const std::string path = testing::TempDir() + "node-opens-" + std::to_string(getpid());
  std::ofstream(path) << "x";
  NodeOpens opens({path});
  ASSERT_GE(opens.descriptor(), 0);
  EXPECT_FALSE(opens.read());
  std::ifstream{path};
  EXPECT_TRUE(opens.read());
  EXPECT_EQ(opens.count(), 1);
  EXPECT_LT(NodeOpens({"/nonexistent"}).descriptor(), 0);
  unlink(path.c_str());
}

TEST(ShellStatus, TellsMissingFromNotRunnable) {
  EXPECT_EQ(shell_status_of(ENOENT), 127);
  EXPECT_EQ(shell_status_of(EACCES), 126);
  EXPECT_EQ(shell_status_of(ENOEXEC), 126);
}

}  // namespace
}  // namespace envdoctor::background_child_test
