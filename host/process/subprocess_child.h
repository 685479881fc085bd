#pragma once
// Shared by all children: the frames they answer with, how they are forked, and how they are reaped.
#include <sys/types.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/descriptor.h"

namespace envdoctor {

// Frames on a private descriptor: a 32-bit length, a kind and that many bytes.
inline constexpr char step_frame = 's';
inline constexpr char answer_frame = 'a';
inline constexpr char failure_frame = 'x';  // the reason why there is no answer
inline constexpr char end_frame = 'e';      // the work is done: the process exits at once

// Writes one frame whole; gives up silently if the reader is gone.
void write_frame(int descriptor, char kind, std::string_view bytes);

// The parent's side: accepts the bytes in pieces of any size.
class Frames {
 public:
  static constexpr std::size_t longest = 64u << 20;

  void take(std::string_view bytes);

  // A malformed frame arrived; nothing after it is read.
  [[nodiscard]] bool bad() const { return !bad_.empty(); }
  [[nodiscard]] const std::string& why_bad() const { return bad_; }
  // The last frame is incomplete.
  [[nodiscard]] bool partial() const { return !pending_.empty(); }
  // It answered and has named no further step since: no other answer is expected.
  [[nodiscard]] bool complete() const { return complete_; }
  // It answered and only has to exit.
  [[nodiscard]] bool leaving() const { return complete_ && leaving_; }
  std::string answer{};  // the last one
  int answers = 0;       // how many came, equal ones too
  std::string step{};
  std::string failure{};

  // "" or " in clGetPlatformIDs".
  [[nodiscard]] std::string place() const { return step.empty() ? "" : " in " + step; }

 private:
  void frame(char kind, std::string_view bytes);
  std::string pending_{};
  std::string bad_{};
  bool complete_ = false, leaving_ = false;
};

// Forwards what has arrived, without waiting; closes descriptors whose other end is closed.
template <class Take>
void drain(Descriptor& from, Take take) {
  constexpr std::size_t visit_limit =
      1u << 20;  // more than a pipe holds: the output of a dead child is read in one visit
  static char bytes[64 * 1024];
  for (std::size_t seen = 0; from && seen < visit_limit;) {
    const ssize_t got = ::read(from.get(), bytes, sizeof(bytes));
    if (got > 0) {
      take(std::string_view(bytes, static_cast<std::size_t>(got)));
      seen += static_cast<std::size_t>(got);
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      from.close();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

// Run right after fork(), in the child: a process group of its own, default signals, no core file, standard input from
// /dev/null, standard output and error to these descriptors, killed when the parent dies.
void become_child(pid_t parent, int output, int errors);

// Runs the work and ends with _exit: exit handlers, ours and the drivers', do not run.
[[noreturn]] void do_work(const std::function<void()>& work, int frames);

// Executes the program, or reports on `frames` why it can't. If `answers`, the program has `frames` as its descriptor
// 3, and `shared`, if there is one, as its descriptor 4.
[[noreturn]] void become_program(const std::vector<std::string>& argv, const std::vector<std::string>& env, int frames,
                                 bool answers = false, int shared = -1);

// Forks a child that becomes one of ours, prints to `output`, and runs `body`, which must not return. The PID, or -1.
pid_t fork_child(int output, const std::function<void()>& body);

// Reaps a child that has closed its channel, or, where `why` is given, must end at once; kills it if it still runs.
// Returns how it ended: `why`, the reason that the child itself reported, or "ended by SIGSEGV in nvmlInit".
std::string reap_child(pid_t pid, const Frames& said, const std::string& why = {});

// Closes the descriptors from 3 on that we inherited (they lack close-on-exec; all of ours have it).
void close_inherited();

// Resident memory in MiB; 0 if unknown.
std::int64_t resident_mib(pid_t pid);

// The lines as execve takes them: pointers into `lines`, then null.
std::vector<char*> null_terminated(const std::vector<std::string>& lines);

}  // namespace envdoctor
