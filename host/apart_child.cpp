#include "host/apart_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include "host/apart.h"
#include "host/apart_frames.h"

namespace envdoctor {
namespace {

constexpr int failed_work = 70;
constexpr int not_started = 127;
constexpr int channel_of_program = 3;
constexpr int shared_of_program = 4;

void no_core_file() {
  rlimit limit{};
  if (getrlimit(RLIMIT_CORE, &limit) != 0) return;
  // 1 rather than 0: the kernel takes it as "none" also where core_pattern is a program.
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 1);
  setrlimit(RLIMIT_CORE, &limit);
}

void default_signals() {
  struct sigaction act {};
  act.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &act, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<char*> pointers(const std::vector<std::string>& lines) {
  std::vector<char*> all;
  all.reserve(lines.size() + 1);
  for (const std::string& line : lines) all.push_back(const_cast<char*>(line.c_str()));
  all.push_back(nullptr);
  return all;
}

}  // namespace

void become_child(pid_t parent, int output, int errors) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(0);
  default_signals();
  no_core_file();
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(output, 1);
  dup2(errors, 2);
}

void do_work(const std::function<void()>& work, int frames) {
  try {
    work();
  } catch (const std::exception& error) {
    write_frame(frames, trouble_frame, fmt::format("ended by an exception: {}", error.what()));
    _exit(failed_work);
  } catch (...) {
    write_frame(frames, trouble_frame, "ended by an exception");
    _exit(failed_work);
  }
  std::fflush(stdout);  // what a driver printed belongs to the evidence
  _exit(0);
}

void become_program(const std::vector<std::string>& argv, const std::vector<std::string>& env, int frames, bool answers,
                    int shared) {
#ifdef SYS_close_range
  syscall(SYS_close_range, 3U, ~0U, 4U);  // CLOSE_RANGE_CLOEXEC: also what we inherited without that flag
#endif
  if (answers) {
    // Moved away first: a duplicate onto itself would keep its close-on-exec flag.
    frames = fcntl(frames, F_DUPFD_CLOEXEC, shared_of_program + 1);
    shared = shared < 0 ? shared : fcntl(shared, F_DUPFD_CLOEXEC, shared_of_program + 1);
    dup2(frames, channel_of_program);
    if (shared >= 0) dup2(shared, shared_of_program);
  }
  if (!argv.empty()) execvpe(argv[0].c_str(), pointers(argv).data(), pointers(env).data());
  const std::string program = argv.empty() ? "no program" : argv[0];
  write_frame(frames, trouble_frame, fmt::format("{} can't be started: {}", program, std::strerror(errno)));
  _exit(not_started);
}

void Channel::frame(char kind, const std::string& bytes) const { write_frame(descriptor_, kind, bytes); }
void Channel::step(const std::string& what) const { frame(step_frame, what); }
void Channel::answer(const std::string& bytes) const { frame(answer_frame, bytes); }

}  // namespace envdoctor
