#pragma once
// Runs work that may crash, hang, print or use much memory in parallel children, with one poll loop.
//
// The parent starts no thread and loads no vendor library, so forking without exec is safe. A child answers with frames
// on a private descriptor (length first, never read to end-of-file: a grandchild may hold it); its standard output and
// error are drained separately and only their tail is kept. Past its limit a child gets TERM, 0.2 s later KILL, and is
// left behind if even that doesn't end it. Memory is limited by watching the child's RSS.
#include <sys/types.h>
#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace envdoctor {

using Milliseconds = std::chrono::milliseconds;

struct Limits {
  Milliseconds time{10'000};
  std::int64_t memory_mib = 4096;
  std::size_t printed_bytes = 4096;  // how much of the end of its output is kept
};

// The child's side: reports to the parent.
class Channel {
 public:
  explicit Channel(int descriptor) : descriptor_(descriptor) {}
  // Names the next call, so that a crash or a hang can be attributed to it.
  void step(const std::string& what) const;
  // The answer; the last one counts.
  void answer(const std::string& bytes) const;

 private:
  int descriptor_;
};

// How a child ended.
struct Ended {
  enum class How { answered, crashed, exited, timed_out, out_of_memory, malformed, not_started };
  How how = How::answered;
  std::string answer{};  // also set if it answered and then failed to end
  std::string step{};    // the last step it named
  std::string why{};  // one sentence without full stop: "ended by SIGSEGV in clGetPlatformIDs", "no answer within 10 s"
  std::string printed{};  // the end of its standard output and error
  int status = 0;         // exit status, or 128 + signal
  Milliseconds duration{0};
};
std::string_view text(Ended::How how);  // answered, crash, exit, timeout, memory, malformed, not-started

class SubprocessGroup {
 public:
  using Work = std::function<void(const Channel&)>;
  using Done = std::function<void(const Ended&)>;

  SubprocessGroup();
  ~SubprocessGroup();
  SubprocessGroup(const SubprocessGroup&) = delete;
  SubprocessGroup& operator=(const SubprocessGroup&) = delete;

  // Forks and runs `work` there; `done` is called in the parent from within run(), and may start more.
  void start(std::string name, Limits limits, const Work& work, Done done);
  // Starts several children that share what `shared` loads: it runs once, in a process of its own from which they are
  // then forked. If it fails or takes longer than 2 s, they are started without it.
  struct Member {
    std::string name{};
    Limits limits{};
    Work work{};
    Done done{};
  };
  void start_sharing(std::function<void()> shared, std::vector<Member> members);
  // Starts a program: argv[0] looked up on PATH if it has no slash. Its answer is its standard output, at most 16 MiB;
  // `printed` is the tail of its standard error. `env` are "NAME=value" lines, all of them.
  void exec(std::string name, Limits limits, std::vector<std::string> argv, std::vector<std::string> env, Done done);
  // Starts a program that answers like our own children, by frames (host/process/subprocess_child.h) on descriptor 3.
  // What it prints is kept as `printed`, standard output and error alike.
  void exec_framed(std::string name, Limits limits, std::vector<std::string> argv, std::vector<std::string> env,
                   Done done);
  // Runs until every child has ended or been left behind, or `whole` has passed: then all that still run are ended.
  // `tick` (may be empty) is called about every 100 ms with the names of those still running.
  void run(Milliseconds whole, const std::function<void(const std::vector<std::string>&)>& tick = {});
  // Waits until the kernel has let go of the children that ended: a process that lives on leaves no zombies.
  static void reap_ended();
  // The last step that the first running child named; empty: none yet.
  [[nodiscard]] std::string step() const;

 private:
  struct Child;
  void launch(Child child, const std::function<void(int frames)>& body);
  // Ends the processes that children left behind, such as a driver's daemon in a session of its own.
  void end_strays() const;
  bool subreaper_;
  std::set<pid_t> others_;  // children of this process that do not belong to this group
  std::vector<Child> children_;
};

}  // namespace envdoctor
