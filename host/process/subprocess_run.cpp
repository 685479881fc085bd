#include "host/process/subprocess_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "host/process/subprocess_child.h"

namespace envdoctor {
namespace {

using How = Ended::How;

constexpr Milliseconds patience{200};               // from TERM to KILL, and from KILL to leaving it behind
constexpr Milliseconds patience_with_memory{2000};  // the kernel needs its time to free gigabytes
constexpr Milliseconds grace{500};                  // from the answer to TERM
constexpr std::size_t output_limit = 16u << 20;
constexpr std::size_t visit_limit = 1u << 20;  // more than a pipe holds: what a dead child left is read in one visit

template <class Take>
void drain(Descriptor& from, Take take) {
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

std::string seconds(Milliseconds time) { return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000); }

}  // namespace

bool ChildPipes::open(bool with_output) {
  frames = make_pipe();
  printed = make_pipe();
  if (with_output) output = make_pipe();
  return frames.writing && printed.writing && (!with_output || output.writing);
}

void ChildPipes::close_reading() {
  for (Pipe* pipe : {&frames, &printed, &output}) pipe->reading.close();
}

void run_child(pid_t parent, ChildPipes& pipes, const std::function<void(int)>& body) {
  const int errors = pipes.printed.writing.get();
  become_child(parent, pipes.output.writing ? pipes.output.writing.get() : errors, errors);
  pipes.close_reading();
  pipes.printed.writing.close();
  pipes.output.writing.close();
  body(pipes.frames.writing.get());
  _exit(0);
}

void SubprocessGroup::Child::launch(const std::vector<Child>& others, const std::function<void(int)>& body) {
  ChildPipes pipes;
  const auto give_up = [&](const char* what) {
    result =
        Ended{.how = How::exited, .why = fmt::format("cannot start a child process: {}: {}", what, strerror(errno))};
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

void SubprocessGroup::Child::adopt(pid_t child, ChildPipes pipes) {
  pid = child;
  started = Clock::now();
#ifdef SYS_pidfd_open
  process = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
#endif
  frames = std::move(pipes.frames.reading);
  printed = std::move(pipes.printed.reading);
  output = std::move(pipes.output.reading);
}

void SubprocessGroup::Child::read_streams() {
  drain(frames, [this](std::string_view bytes) {
    said.take(bytes);
    if (complete()) next = Clock::now() + grace;
  });
  drain(output,
        [this](std::string_view bytes) { output_text.append(bytes.substr(0, output_limit + 1 - output_text.size())); });
  drain(printed, [this](std::string_view bytes) {
    tail.append(bytes);
    if (tail.size() > limits.printed_bytes) tail.erase(0, tail.size() - limits.printed_bytes);
  });
}

void SubprocessGroup::Child::advance(Clock::time_point now, bool look_at_memory) {
  if (result) return;
  // The end is looked for first, so that all it wrote is in the pipes when they are read. It stays a zombie while its
  // group is killed: only then is the group surely still its own.
  siginfo_t info{};
  const bool gone = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
  const bool ended = gone || info.si_pid == pid;
  read_streams();
  if (ended) {
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

void SubprocessGroup::Child::check_limits(Clock::time_point now, bool look_at_memory) {
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

void SubprocessGroup::Child::stop(How how, std::string why, Clock::time_point now) {
  if (phase != Phase::running || result) return;
  const bool at_once = how == How::out_of_memory;
  signal(at_once ? SIGKILL : SIGTERM);
  phase = at_once ? Phase::killed : Phase::asked;
  next = now + (at_once ? patience_with_memory : patience);
  stopped = Ended{.how = how, .why = std::move(why)};
}

void SubprocessGroup::Child::signal(int number) const {
  if (pid <= 0) return;
  ::kill(-pid, number);
  ::kill(pid, number);  // it may have left its group
}

void SubprocessGroup::Child::finish(std::optional<int> wait_status) {
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

}  // namespace envdoctor
