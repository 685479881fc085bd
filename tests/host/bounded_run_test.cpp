#include "host/process/bounded_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace envdoctor::bounded_run_test {
namespace {

using std::chrono::milliseconds;
using testing::ExitedWithCode;
using testing::KilledBySignal;

[[noreturn]] void exit_with(milliseconds limit, const std::function<int()>& work) {
  std::exit(run_bounded(limit, work, [] { return 3; }));  // NOLINT: this process has one thread
}

TEST(BoundedRun, AnswersWhatTheWorkAnswers) {
  EXPECT_EXIT(exit_with(milliseconds(20'000), [] { return 0; }), ExitedWithCode(0), "");
  EXPECT_EXIT(exit_with(milliseconds(20'000), [] { return 7; }), ExitedWithCode(7), "");
}

TEST(BoundedRun, EndsByTheSignalThatEndedTheWork) {
  for (const int number : {SIGTERM, SIGINT, SIGSEGV, SIGKILL})
    EXPECT_EXIT(exit_with(milliseconds(20'000), [number] { return raise(number); }), KilledBySignal(number), "");
}

TEST(BoundedRun, HandsSignalsOn) {
  EXPECT_EXIT(exit_with(milliseconds(20'000),
                        [] {
                          signal(SIGTERM, [](int) { _exit(9); });
                          kill(getppid(), SIGTERM);
                          sleep(20);
                          return 0;
                        }),
              ExitedWithCode(9), "");
}

TEST(BoundedRun, LeavesWorkThatDoesNotEnd) {
  EXPECT_EXIT(exit_with(milliseconds(100),
                        [] {
                          signal(SIGTERM, SIG_IGN);
                          sleep(20);
                          return 0;
                        }),
              ExitedWithCode(3), "");
}

TEST(BoundedRun, ChildrenAreHeardWhereTheirEndsAreIgnored) {
  EXPECT_EXIT(
      {
        signal(SIGCHLD, SIG_IGN);
        exit_with(milliseconds(20'000), [] { return 5; });
      },
      ExitedWithCode(5), "");
}

}  // namespace
}  // namespace envdoctor::bounded_run_test
