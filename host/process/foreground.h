#pragma once
#include <sys/types.h>

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace envdoctor {

// A program run in our place, as a shell's child would be: the same process group, terminal, streams and environment.
// Signals are forwarded, a stop stops us too, and its end is reported as a shell reports it.
class Foreground {
 public:
  // Starts argv[0], looked up on this process's PATH if it has no slash. `env` are "NAME=value" lines, all of them. It
  // gets the signal mask and the ignored signals that we were started with, and is killed if we are killed. From here
  // on all our signals are blocked until wait().
  Foreground(const std::vector<std::string>& argv, const std::vector<std::string>& env);
  ~Foreground();

  [[nodiscard]] pid_t pid() const { return pid_; }
  // 0, or the errno that kept it from starting.
  [[nodiscard]] int error() const { return error_; }

  // Closes standard input and output and everything else that we inherited, so that a reader sees the end when the
  // program closes its own; standard error stays open. Then waits. Returns its exit status, or 128 + signal.
  [[nodiscard]] int wait() const { return wait(0, {}); }
  // The same, calling `meanwhile` about as often as this, in milliseconds; 0: never.
  [[nodiscard]] int wait(int every_ms, const std::function<void()>& meanwhile) const;

 private:
  class GroupWitness;
  void pass_up_stop(int signal) const;
  void hand_on(const siginfo_t& info) const;
  pid_t pid_ = -1;
  int error_ = 0;
  std::unique_ptr<GroupWitness> witness_;
};

// 127 where there is no such program, 126 where it can't be run.
int shell_status_of(int exec_error);

}  // namespace envdoctor
