#include "host/process/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>

#include "host/files/descriptor.h"
#include "host/process/subprocess_child.h"
#include "host/system_names.h"

namespace envdoctor {

namespace {

using Clock = std::chrono::steady_clock;
using How = Ended::How;

constexpr Milliseconds patience{200};               // from TERM to KILL, and from KILL to leaving it behind
constexpr Milliseconds patience_with_memory{2000};  // the kernel needs time to free gigabytes
constexpr Milliseconds grace{500};                  // from the answer to TERM
constexpr std::size_t output_limit = 16u << 20;

std::string seconds(Milliseconds time) { return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000); }

constexpr Milliseconds memory_interval{25};
constexpr Milliseconds tick_interval{100};
constexpr Milliseconds blind_interval{10};  // where the kernel has no pidfd

std::function<void(int)> body_of(const SubprocessGroup::Work& work) {
  return [&work](int frames) { do_work([&] { work(Channel(frames)); }, frames); };
}

volatile std::sig_atomic_t noted = 0;
void note_signal(int number) { noted = number; }

// While this object lives, Ctrl-C and similar signals are recorded instead of ending us, so that children can be ended
// first; they arrive only during a ppoll() with `while_waiting()`. SIGPIPE is ignored.
class HeldSignals {
 public:
  HeldSignals() {
    noted = 0;
    sigset_t held;
    sigemptyset(&held);
    for (std::size_t i = 0; i < std::size(numbers_); ++i) {
      const int number = numbers_[i];
      struct sigaction act {};
      act.sa_handler = number == SIGPIPE ? SIG_IGN : note_signal;
      sigaction(number, nullptr, &old_[i]);
      if (old_[i].sa_handler != SIG_IGN) sigaction(number, &act, nullptr);  // keeps what nohup set
      if (number != SIGPIPE) sigaddset(&held, number);
    }
    sigprocmask(SIG_BLOCK, &held, &before_);
  }
  ~HeldSignals() {  // restores the previous state
    for (std::size_t i = 0; i < std::size(numbers_); ++i) sigaction(numbers_[i], &old_[i], nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  [[nodiscard]] const sigset_t& while_waiting() const { return before_; }

 private:
  static constexpr int numbers_[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  struct sigaction old_[std::size(numbers_)]{};
  sigset_t before_{};
};

// The pipes of a child, which has the write ends. Only a program has `output`.
struct ChildPipes {
  Pipe frames{}, printed{}, output{};

  // False, with errno set, if there are no more descriptors.
  bool open(bool with_output) {
    frames = make_pipe();
    printed = make_pipe();
    if (with_output) output = make_pipe();
    return frames.writing && printed.writing && (!with_output || output.writing);
  }
};

// In a child, right after fork(): becomes one of `parent`'s children with these pipes, then runs `body`.
[[noreturn]] void run_child(pid_t parent, ChildPipes& pipes, const std::function<void(int)>& body) {
  const int errors = pipes.printed.writing.get();
  become_child(parent, pipes.output.writing ? pipes.output.writing.get() : errors, errors);
  for (Pipe* pipe : {&pipes.frames, &pipes.printed, &pipes.output}) pipe->reading.close();
  pipes.printed.writing.close();
  pipes.output.writing.close();
  body(pipes.frames.writing.get());
  _exit(0);
}

// Children that have ended and are not reaped yet.
std::vector<pid_t> leaving;

void reap_leaving() {
  std::erase_if(leaving, [](pid_t pid) { return waitpid(pid, nullptr, WNOHANG) != 0; });
}

// The children of a thread, an empty list where it has ended; nullopt where the kernel has no such file.
std::optional<std::set<pid_t>> children_of(const std::string& thread) {
  std::ifstream file("/proc/" + thread + "/children");
  if (!file && !std::ifstream("/proc/thread-self/children")) return {};
  return std::set<pid_t>{std::istream_iterator<pid_t>(file), {}};
}

// Whether a process surely has no child, which would become ours only when it has ended.
bool has_no_child(pid_t pid) {
  std::error_code error;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid), error);
  for (; !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
    const auto children = children_of(fmt::format("{}/task/{}", pid, thread->path().filename().string()));
    if (!children || !children->empty()) return false;
  }
  return !error;
}

}  // namespace

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
  void launch(const std::vector<Child>& others, const std::function<void(int)>& body) {
    ChildPipes pipes;
    const auto give_up = [&](const char* what) {
      result = Ended{.how = How::not_started,
                     .why = fmt::format("cannot start a child process: {}: {}", what, strerror(errno))};
    };
    if (!pipes.open(program)) return give_up("pipe");
    std::fflush(nullptr);  // or the child would print our text again
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) return give_up("fork");
    if (child == 0) {
      for (const Child& other : others) {
        for (const Descriptor* end : {&other.process, &other.frames, &other.output, &other.printed}) {
          if (*end) ::close(end->get());
        }
      }
      run_child(parent, pipes, body);
    }
    setpgid(child, child);  // here as well: whoever comes first
    adopt(child, std::move(pipes));
  }

  // In this process: takes a child that was forked elsewhere and is now our own.
  void adopt(pid_t child, ChildPipes pipes) {
    pid = child;
    started = Clock::now();
#ifdef SYS_pidfd_open
    process = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
#endif
    frames = std::move(pipes.frames.reading);
    printed = std::move(pipes.printed.reading);
    output = std::move(pipes.output.reading);
  }

  // Looks once at everything: what it wrote, whether it ended, whether it is past a limit.
  void advance(Clock::time_point now, bool look_at_memory) {
    if (result) return;
    // The end is looked for first, so that all it wrote is in the pipes when they are read. It stays a zombie while its
    // group is killed: only then is the group surely still its own.
    siginfo_t info{};
    const bool gone = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
    const bool ended = gone || info.si_pid == pid;
    read_streams();
    if (!ended && phase == Phase::running && said.leaving() && has_no_child(pid)) {
      leave();
    } else if (ended) {
      int wait_status = 0;
      ::kill(-pid, SIGKILL);
      const bool known = waitpid(pid, &wait_status, WNOHANG) == pid;
      finish(known ? std::optional<int>(wait_status) : std::nullopt);
    } else if (phase == Phase::running) {
      check_limits(now, look_at_memory);
    } else if (now >= next) {
      if (phase == Phase::killed) return finish(std::nullopt);
      signal(SIGKILL);
      phase = Phase::killed;
      next = now + patience;
    }
  }

  // Asks it to end. No effect if that was done before.
  void stop(How how, std::string why, Clock::time_point now) {
    if (phase != Phase::running || result) return;
    const bool at_once = how == How::out_of_memory;
    signal(at_once ? SIGKILL : SIGTERM);
    phase = at_once ? Phase::killed : Phase::asked;
    next = now + (at_once ? patience_with_memory : patience);
    stopped = Ended{.how = how, .why = std::move(why)};
  }

  void signal(int number) const {
    if (pid <= 0) return;
    ::kill(-pid, number);
    ::kill(pid, number);  // it may have left its group
  }

 private:
  // The kernel takes milliseconds to take back what drivers mapped; nobody waits for that.
  void leave() {
    signal(SIGKILL);
    leaving.push_back(pid);
    finish(0);
  }

  void read_streams() {
    drain(frames, [this](std::string_view bytes) {
      said.take(bytes);
      if (complete()) next = Clock::now() + grace;
    });
    drain(output, [this](std::string_view bytes) {
      output_text.append(bytes.substr(0, output_limit + 1 - output_text.size()));
    });
    drain(printed, [this](std::string_view bytes) {
      tail.append(bytes);
      if (tail.size() > limits.printed_bytes) tail.erase(0, tail.size() - limits.printed_bytes);
    });
  }

  void check_limits(Clock::time_point now, bool look_at_memory) {
    if (said.bad()) {
      stop(How::malformed, said.why_bad() + said.place(), now);
    } else if (output_text.size() > output_limit) {
      stop(How::malformed, fmt::format("more than {} MiB of output", output_limit >> 20), now);
    } else if (complete()) {
      if (now >= next) stop(How::answered, "answered, but did not exit", now);
    } else if (now - started >= limits.time) {
      stop(How::timed_out,
           fmt::format("no {} within {}{}", program ? "end" : "answer", seconds(limits.time), said.place()), now);
    } else if (look_at_memory && resident_mib(pid) > limits.memory_mib) {
      stop(How::out_of_memory, fmt::format("took more than {} MiB of memory{}", limits.memory_mib, said.place()), now);
    }
  }

  void finish(std::optional<int> wait_status) {
    Ended end{.step = said.step, .printed = tail};
    end.duration = std::chrono::duration_cast<Milliseconds>(Clock::now() - started);
    end.answer = program ? output_text.substr(0, output_limit) : said.answer;
    const int number = wait_status && WIFSIGNALED(*wait_status) ? WTERMSIG(*wait_status) : 0;
    end.status = number != 0 ? 128 + number : wait_status ? WEXITSTATUS(*wait_status) : 0;
    if (number != 0) {
      end.how = How::crashed;
      end.why = fmt::format("ended by {}{}", signal_name(number), said.place());
    } else if (!said.failure.empty()) {
      end.how = How::exited;
      end.why = said.failure;
    } else if (said.partial() || said.bad()) {
      end.how = How::malformed;
      end.why = said.bad() ? said.why_bad() + said.place() : "its answer was cut short" + said.place();
    } else if (program ? end.status != 0 : !complete()) {
      end.how = How::exited;
      end.why = fmt::format("exited with status {}{}{}", end.status, program ? "" : " without an answer", said.place());
    } else if (!wait_status && !stopped) {
      end.why = "its exit status is not known";
    } else if (end.status != 0) {
      end.why = fmt::format("exited with status {}", end.status);
    }
    if (stopped) {
      end.how = stopped->how;
      end.why = stopped->why;
      if (!wait_status) end.why += ", and did not exit after SIGKILL";
    }
    if (complete() && end.how != How::malformed) {
      end.how = How::answered;
      if (!end.why.empty() && !stopped) end.why = "answered, then " + end.why;
    }
    result = std::move(end);
  }

  [[nodiscard]] bool complete() const { return !program && said.complete(); }
};

std::string_view text(Ended::How how) {
  static constexpr std::array names = {"answered", "crash", "exit", "timeout", "memory", "malformed", "not-started"};
  return names.at(static_cast<std::size_t>(how));
}

namespace {

// This process's children, but for those that are leaving; none where the kernel has no such file.
std::set<pid_t> own_children() {
  reap_leaving();
  std::set<pid_t> all = children_of("thread-self").value_or(std::set<pid_t>{});
  for (const pid_t one : leaving) all.erase(one);
  return all;
}

}  // namespace

SubprocessGroup::SubprocessGroup()
    : subreaper_(prctl(PR_SET_CHILD_SUBREAPER, 1) == 0),  // what a child leaves behind becomes ours
      others_(own_children()) {
  struct sigaction act {};
  act.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &act, nullptr);  // ignored, as some parents hand it down, it would hide how children end
}

SubprocessGroup::~SubprocessGroup() {
  for (const Child& child : children_) {
    child.signal(SIGKILL);
    if (child.pid > 0) waitpid(child.pid, nullptr, WNOHANG);
  }
  end_strays();
}

void SubprocessGroup::end_strays() const {
  constexpr int rounds = 50;  // what one leaves behind in turn appears in the next
  for (int round = 0; round < rounds; ++round) {
    std::set<pid_t> strays = own_children();
    for (const pid_t other : others_) strays.erase(other);
    for (const Child& child : children_) strays.erase(child.pid);
    if (strays.empty()) return;
    for (const pid_t stray : strays) {
      ::kill(-stray, SIGKILL);
      ::kill(stray, SIGKILL);
      waitpid(stray, nullptr, WNOHANG);
    }
    usleep(1000);
  }
}

void SubprocessGroup::launch(Child child, const std::function<void(int frames)>& body) {
  child.launch(children_, body);
  children_.push_back(std::move(child));
}

void SubprocessGroup::start(std::string name, Limits limits, const Work& work, Done done) {
  launch({.name = std::move(name), .limits = limits, .done = std::move(done)}, body_of(work));
}

void SubprocessGroup::exec(std::string name, Limits limits, std::vector<std::string> argv, std::vector<std::string> env,
                           Done done) {
  launch({.name = std::move(name), .limits = limits, .done = std::move(done), .program = true},
         [&](int frames) { become_program(argv, env, frames); });
}

void SubprocessGroup::exec_framed(std::string name, Limits limits, std::vector<std::string> argv,
                                  std::vector<std::string> env, Done done) {
  launch({.name = std::move(name), .limits = limits, .done = std::move(done)},
         [&](int frames) { become_program(argv, env, frames, true); });
}

void SubprocessGroup::reap_ended() {
  for (int round = 0; round < 2000; ++round, usleep(1000)) {  // longer only where the kernel itself hangs
    reap_leaving();
    if (leaving.empty()) return;
  }
}

std::string SubprocessGroup::step() const { return children_.empty() ? "" : children_.front().said.step; }

void SubprocessGroup::run(Milliseconds whole, const std::function<void(const std::vector<std::string>&)>& tick) {
  const Clock::time_point end = Clock::now() + whole;
  Clock::time_point next_memory = Clock::now();
  Clock::time_point next_tick = Clock::now() + tick_interval;
  int signal = 0;
  {
    const HeldSignals held;
    while (!children_.empty() && signal == 0) {
      std::vector<pollfd> polled;
      std::vector<std::size_t> ends;  // where the descriptors of each child end
      Clock::time_point next = std::min(next_memory, tick ? next_tick : end);
      for (const Child& child : children_) {
        for (const Descriptor* one : {&child.process, &child.frames, &child.output, &child.printed}) {
          if (*one) polled.push_back({.fd = one->get(), .events = POLLIN, .revents = 0});
        }
        ends.push_back(polled.size());
        if (!child.process) next = std::min(next, Clock::now() + blind_interval);
        if (child.result) next = Clock::now();
      }
      const auto wait = std::max(std::chrono::nanoseconds(0), std::chrono::nanoseconds(next - Clock::now()));
      const timespec pause{.tv_sec = wait.count() / 1'000'000'000, .tv_nsec = wait.count() % 1'000'000'000};
      ppoll(polled.data(), polled.size(), &pause, &held.while_waiting());
      signal = noted;

      const Clock::time_point now = Clock::now();
      const bool look_at_memory = now >= next_memory;
      if (look_at_memory) next_memory = now + memory_interval;
      for (std::size_t i = 0, begin = 0; i < children_.size(); begin = ends[i++]) {
        Child& child = children_[i];
        const auto spoke = [](const pollfd& one) { return one.revents != 0; };
        if (look_at_memory || !child.process || child.result ||
            std::any_of(polled.data() + begin, polled.data() + ends[i], spoke))
          child.advance(now, look_at_memory);
        if (now >= end)
          child.stop(
              Ended::How::timed_out,
              fmt::format("stopped after {} because the time limit of the whole run expired{}",
                          seconds(std::chrono::duration_cast<Milliseconds>(now - child.started)), child.said.place()),
              now);
      }
      // Taken out before their `done` is called, which may start more.
      const auto over =
          std::stable_partition(children_.begin(), children_.end(), [](const Child& c) { return !c.result; });
      std::vector<Child> ended(std::make_move_iterator(over), std::make_move_iterator(children_.end()));
      children_.erase(over, children_.end());
      for (const Child& child : ended) {
        if (child.done) child.done(*child.result);
      }
      if (tick && now >= next_tick && !children_.empty()) {
        next_tick = now + tick_interval;
        std::vector<std::string> names;
        for (const Child& child : children_) names.push_back(child.name);
        tick(names);
      }
    }
    if (signal != 0) {
      for (const Child& child : children_) child.signal(SIGKILL);
    }
  }
  end_strays();
  if (signal != 0) raise(signal);
}

// Children that share what was loaded before they were forked. Their grandparent, this process, becomes their parent
// when the one they were forked from ends: it is the subreaper for that.

namespace {

constexpr Limits sharing{.time = Milliseconds(2000)};

struct Plan {
  std::vector<SubprocessGroup::Member> members{};
  std::vector<ChildPipes> pipes{};
};

// In the process that has loaded what is shared: forks one member.
pid_t fork_member(Plan& plan, std::size_t index, pid_t grandparent) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child != 0) {
    if (child > 0) setpgid(child, child);  // or it would be ended with our group
    return child;
  }
  for (std::size_t i = 0; i < plan.pipes.size(); ++i) {
    if (i != index) plan.pipes[i] = {};
  }
  while (getppid() == parent) usleep(50);
  run_child(grandparent, plan.pipes[index], body_of(plan.members[index].work));
}

// What was forked, as bytes; empty if one is missing.
std::vector<pid_t> forked(const Ended& ended, std::size_t count) {
  std::vector<pid_t> pids(count);
  if (ended.how != Ended::How::answered || ended.answer.size() != count * sizeof(pid_t)) return {};
  std::memcpy(pids.data(), ended.answer.data(), ended.answer.size());
  return pids;
}

}  // namespace

void SubprocessGroup::start_sharing(std::function<void()> shared, std::vector<Member> members) {
  const auto plan = std::make_shared<Plan>(Plan{.members = std::move(members)});
  bool ready = plan->members.size() > 1 && subreaper_;
  for (std::size_t i = 0; ready && i < plan->members.size(); ++i) ready = plan->pipes.emplace_back().open(false);
  const auto start_separately = [this, plan] {
    for (Member& member : plan->members)
      start(std::move(member.name), member.limits, member.work, std::move(member.done));
  };
  if (!ready) return start_separately();
  const auto work = [plan, shared = std::move(shared), grandparent = getpid()](const Channel& channel) {
    shared();
    std::string pids;
    for (std::size_t i = 0; i < plan->members.size(); ++i) {
      const pid_t pid = fork_member(*plan, i, grandparent);
      if (pid < 0) _exit(1);
      pids.append(reinterpret_cast<const char*>(&pid), sizeof(pid));
    }
    channel.answer(pids);
  };
  start(plan->members.front().name, sharing, work, [this, plan, start_separately](const Ended& ended) {
    const std::vector<pid_t> pids = forked(ended, plan->members.size());
    if (pids.empty()) return start_separately();
    for (std::size_t i = 0; i < pids.size(); ++i) {
      Member& member = plan->members[i];
      Child child{.name = std::move(member.name), .limits = member.limits, .done = std::move(member.done)};
      child.adopt(pids[i], std::move(plan->pipes[i]));
      children_.push_back(std::move(child));
    }
  });
}

}  // namespace envdoctor
