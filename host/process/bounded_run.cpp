#include "host/process/bounded_run.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

namespace envdoctor {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds end_patience{200};

// Blocks the signals that this process waits for while this object lives. An ignored one stays ignored.
class AwaitedSignals {
 public:
  AwaitedSignals() {
    sigemptyset(&held_);
    sigaddset(&held_, SIGCHLD);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
      struct sigaction now {};
      if (sigaction(number, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&held_, number);
    }
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;  // if SIGCHLD is ignored it is not delivered, and the child is not kept as a zombie
    sigaction(SIGCHLD, &plain, &child_before_);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  void release() const {
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    sigaction(SIGCHLD, &child_before_, nullptr);
  }
  // The next of them, or 0 at `until`.
  [[nodiscard]] int next(Clock::time_point until) const {
    while (true) {
      const auto left = std::max(std::chrono::nanoseconds(until - Clock::now()), std::chrono::nanoseconds(0)).count();
      const timespec time{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
      const int number = sigtimedwait(&held_, nullptr, &time);
      if (number > 0) return number;
      if (errno != EINTR) return 0;
    }
  }

 private:
  sigset_t held_{}, before_{};
  struct sigaction child_before_ {};
};

// Ends this process by the signal that ended the child.
[[noreturn]] void end_by(int number) {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(number, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::raise(number);
  _exit(128 + number);
}

// Whether the child has ended by then; its wait status. Forwards signals to it.
bool has_ended(pid_t child, Clock::time_point until, const AwaitedSignals& signals, int& status) {
  while (waitpid(child, &status, WNOHANG) != child) {
    const int number = signals.next(until);
    if (number == 0) return waitpid(child, &status, WNOHANG) == child;
    if (number != SIGCHLD) kill(child, number);
  }
  return true;
}

}  // namespace

int run_bounded(std::chrono::milliseconds limit, const std::function<int()>& work, const std::function<int()>& late) {
  const auto until = Clock::now() + limit;
  const AwaitedSignals signals;
  const pid_t own = getpid();
  const pid_t child = fork();
  if (child <= 0) {
    signals.release();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != own) _exit(1);
    }
    return work();
  }
  int status = 0;
  if (!has_ended(child, until, signals, status)) {
    for (const int number : {SIGTERM, SIGKILL}) {
      kill(child, number);
      if (has_ended(child, Clock::now() + end_patience, signals, status)) break;
    }
    _exit(late());
  }
  if (WIFSIGNALED(status)) end_by(WTERMSIG(status));
  _exit(WEXITSTATUS(status));  // the child has already run the exit handlers
}

}  // namespace envdoctor
