#include "host/process/foreground.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include "host/files/descriptor.h"
#include "host/process/subprocess_child.h"

namespace envdoctor {

namespace {

constexpr int patience_ms = 20;

struct Note {
  int signal = 0;
  pid_t sender = 0;
};

[[noreturn]] void witness(int notes) {
  sigset_t all;
  sigfillset(&all);
  while (true) {
    siginfo_t info{};
    const Note note{sigwaitinfo(&all, &info), info.si_pid};
    if (note.signal > 0 && ::write(notes, &note, sizeof note) != sizeof note) _exit(0);
  }
}

}  // namespace

// Whether a signal that we got went to our whole process group. The kernel doesn't say, so a witness process in the
// group records the signals that it gets.
class Foreground::GroupWitness {
 public:
  // Forks the witness. All signals must be blocked here; it keeps none of our descriptors, and ends when we do.
  GroupWitness() {
    Pipe pipe = make_pipe();
    if (!pipe.writing) return;
    notes_ = std::move(pipe.reading);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
    close_inherited();
    witness(pipe.writing.get());
  }
  ~GroupWitness() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  GroupWitness(const GroupWitness&) = delete;
  GroupWitness& operator=(const GroupWitness&) = delete;

  // Whether it got this signal from this sender too; waits some milliseconds for it. Without a witness: false.
  [[nodiscard]] bool saw(int signal, pid_t sender) const {
    if (pid_ <= 0) return false;
    pollfd ready{.fd = notes_.get(), .events = POLLIN, .revents = 0};
    Note note;
    while (::poll(&ready, 1, patience_ms) > 0 && ::read(notes_.get(), &note, sizeof note) == sizeof note) {
      if (note.signal == signal && note.sender == sender) return true;
    }
    return false;
  }

 private:
  pid_t pid_ = -1;
  Descriptor notes_{};
};

Foreground::~Foreground() = default;

namespace {

pid_t parent_of(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string stat;
  std::getline(in, stat);
  const auto name_end = stat.rfind(')');  // the name may contain any character
  if (name_end == std::string::npos || name_end + 4 >= stat.size()) return 0;
  return static_cast<pid_t>(std::strtol(stat.c_str() + name_end + 4, nullptr, 10));
}

bool descends_from(pid_t pid, pid_t ancestor) {
  for (int step = 0; pid > 1 && step < 1000; ++step) {
    if (pid == ancestor) return true;
    pid = parent_of(pid);
  }
  return false;
}

}  // namespace

Foreground::Foreground(const std::vector<std::string>& argv, const std::vector<std::string>& env) {
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  witness_ = std::make_unique<GroupWitness>();
  int exec_error[2] = {-1, -1};
  const bool ready = pipe2(exec_error, O_CLOEXEC) == 0;
  Descriptor read_end(exec_error[0]), write_end(exec_error[1]);
  const pid_t parent = getpid();
  if (ready) pid_ = fork();
  if (pid_ < 0) {
    error_ = errno;
    return;
  }
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    execvpe(argv[0].c_str(), null_terminated(argv).data(), null_terminated(env).data());
    const int why = errno;
    (void)!::write(write_end.get(), &why, sizeof why);
    _exit(127);
  }
  write_end.close();
  while (::read(read_end.get(), &error_, sizeof error_) < 0 && errno == EINTR) {
  }
  if (error_ != 0) waitpid(pid_, nullptr, 0);
}

int Foreground::wait(int every_ms, const std::function<void()>& meanwhile) const {
  if (const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC)); nothing) {
    dup2(nothing.get(), STDIN_FILENO);
    dup2(nothing.get(), STDOUT_FILENO);
  }
  close_inherited();
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, nullptr);  // some parents pass it on as ignored, which would hide how children end
  sigset_t all;
  sigfillset(&all);
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG | WUNTRACED);
    if (ended == pid_) {
      if (!WIFSTOPPED(status)) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      pass_up_stop(WSTOPSIG(status));
      continue;
    }
    if (ended < 0 && errno != EINTR) return 127;  // other code has waited for it
    siginfo_t info{};
    const timespec gap{.tv_sec = every_ms / 1000, .tv_nsec = every_ms % 1000 * 1'000'000L};
    const int signal = every_ms > 0 ? sigtimedwait(&all, &info, &gap) : sigwaitinfo(&all, &info);
    if (signal > 0 && info.si_signo != SIGCHLD) hand_on(info);
    if (every_ms > 0) meanwhile();
  }
}

// We stop as the program did, so that the shell sees it; when the shell continues the job, both continue.
void Foreground::pass_up_stop(int signal) const {
  if (signal == SIGSTOP) {
    raise(SIGSTOP);
  } else {
    struct sigaction standard {
    }, before{};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, &before);
    raise(signal);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    sigprocmask(SIG_UNBLOCK, &one, nullptr);  // stops here
    sigprocmask(SIG_BLOCK, &one, nullptr);
    sigaction(signal, &before, nullptr);
  }
  kill(pid_, SIGCONT);
}

// What the kernel sends (Ctrl-C, a lost terminal) reached the whole process group, and so did every signal that the
// witness got as well, unless the program left the group. A signal from the program, or a SIGPIPE of ours, is not
// forwarded to it.
void Foreground::hand_on(const siginfo_t& info) const {
  const bool by_a_process = info.si_code == SI_USER || info.si_code == SI_QUEUE || info.si_code == SI_TKILL;
  if (!by_a_process || info.si_pid == getpid() || (info.si_pid > 0 && descends_from(info.si_pid, pid_))) return;
  const bool together = getpgid(pid_) == getpgrp();
  if (witness_->saw(info.si_signo, info.si_pid) && together) return;
  kill(pid_, info.si_signo);
}

int shell_status_of(int exec_error) { return exec_error == ENOENT || exec_error == ENOTDIR ? 127 : 126; }

}  // namespace envdoctor
