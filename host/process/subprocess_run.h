#pragma once
// Children as their parent sees them.
#include <chrono>
#include <optional>
#include <string>

#include "host/process/subprocess.h"
#include "host/process/subprocess_child.h"
#include "host/files/descriptor.h"

namespace envdoctor {

using Clock = std::chrono::steady_clock;

// What a child writes to; its own side has the writing ends. The output is a program's only.
struct ChildPipes {
  Pipe frames{}, printed{}, output{};
  // False, with errno set, if there are no more descriptors.
  bool open(bool with_output);
  void close_reading();
};

// In a child, fork() just done: becomes one of `parent`'s children with these pipes, then runs `body`.
[[noreturn]] void run_child(pid_t parent, ChildPipes& pipes, const std::function<void(int frames)>& body);

// One child as its parent sees it.
struct SubprocessGroup::Child {
  std::string name{};
  Limits limits{};
  Done done{};
  bool program = false;

  pid_t pid = -1;
  Descriptor process{};  // a pidfd, readable when the child has ended; none on kernels before 5.3
  Descriptor frames{};
  Descriptor output{};  // of a program only
  Descriptor printed{};
  Frames said{};
  std::string output_text{};
  std::string tail{};

  enum class Phase { running, asked, killed };
  Phase phase = Phase::running;
  Clock::time_point started = Clock::now();
  Clock::time_point next{};        // when the phase is over
  std::optional<Ended> stopped{};  // why we ended it: `how` and `why` only
  std::optional<Ended> result{};   // set when nothing more is to be expected

  // Forks. `body` runs in the child and must not return.
  void launch(const std::vector<Child>& others, const std::function<void(int frames)>& body);
  // In this process: takes a child that was forked elsewhere and is now our own.
  void adopt(pid_t child, ChildPipes pipes);
  // Looks once at everything: what it wrote, whether it ended, whether it is past a limit.
  void advance(Clock::time_point now, bool look_at_memory);
  // Asks it to end. No effect if that was done before.
  void stop(Ended::How how, std::string why, Clock::time_point now);
  void signal(int number) const;

 private:
  void read_streams();
  void check_limits(Clock::time_point now, bool look_at_memory);
  void finish(std::optional<int> wait_status);
  [[nodiscard]] bool complete() const { return !program && said.complete(); }
};

}  // namespace envdoctor
