#include "host/process/subprocess_child.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>

#include "host/files/descriptor.h"
#include "host/process/subprocess.h"
#include "host/system_names.h"

namespace envdoctor {

namespace {

constexpr std::size_t head_size = sizeof(std::uint32_t) + 1;
constexpr std::size_t longest_step = 4096;

}  // namespace

void write_frame(int descriptor, char kind, std::string_view bytes) {
  const auto length = static_cast<std::uint32_t>(bytes.size());
  std::string frame(head_size, kind);
  std::memcpy(frame.data(), &length, sizeof(length));
  (void)write_all(descriptor, frame.append(bytes));  // at once: each write wakes the reader
}

void Frames::take(std::string_view bytes) {
  if (bad()) return;
  pending_.append(bytes);
  std::size_t begin = 0;
  while (!bad() && pending_.size() - begin >= head_size) {
    std::uint32_t length = 0;
    std::memcpy(&length, pending_.data() + begin, sizeof(length));
    const char kind = pending_[begin + sizeof(length)];
    if (kind != step_frame && kind != answer_frame && kind != failure_frame && kind != end_frame) {
      bad_ = "its answer is malformed";
    } else if (length > longest) {
      bad_ = fmt::format("its answer is longer than {} MiB", longest >> 20);
    } else if (pending_.size() - begin - head_size < length) {
      break;
    } else {
      frame(kind, std::string_view(pending_).substr(begin + head_size, length));
      begin += head_size + length;
    }
  }
  pending_.erase(0, bad() ? pending_.size() : begin);
}

void Frames::frame(char kind, std::string_view bytes) {
  leaving_ = kind == end_frame;
  if (leaving_) return;
  if (kind == answer_frame) {
    answer = bytes;
    ++answers;
  } else {
    (kind == step_frame ? step : failure) = bytes.substr(0, longest_step);
  }
  complete_ = kind == answer_frame;
}

namespace {

constexpr int failed_work = 70;
constexpr int not_started = 127;
constexpr int channel_of_program = 3;
constexpr int shared_of_program = 4;

void no_core_file() {
  rlimit limit{};
  if (getrlimit(RLIMIT_CORE, &limit) != 0) return;
  // 1 rather than 0: the kernel takes 1 as "none" even where core_pattern is a program.
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

}  // namespace

std::vector<char*> null_terminated(const std::vector<std::string>& lines) {
  std::vector<char*> all;
  all.reserve(lines.size() + 1);
  for (const std::string& line : lines) all.push_back(const_cast<char*>(line.c_str()));
  all.push_back(nullptr);
  return all;
}

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
    write_frame(frames, failure_frame, fmt::format("terminated by an exception: {}", error.what()));
    _exit(failed_work);
  } catch (...) {
    write_frame(frames, failure_frame, "terminated by an exception");
    _exit(failed_work);
  }
  std::fflush(stdout);  // a driver's output is part of the evidence
  write_frame(frames, end_frame, {});
  _exit(0);
}

void become_program(const std::vector<std::string>& argv, const std::vector<std::string>& env, int frames, bool answers,
                    int shared) {
#ifdef SYS_close_range
  syscall(SYS_close_range, 3U, ~0U,
          4U);  // CLOSE_RANGE_CLOEXEC: includes descriptors that we inherited without that flag
#endif
  if (answers) {
    // Moved first: dup2 onto the same number would keep its close-on-exec flag.
    frames = fcntl(frames, F_DUPFD_CLOEXEC, shared_of_program + 1);
    shared = shared < 0 ? shared : fcntl(shared, F_DUPFD_CLOEXEC, shared_of_program + 1);
    dup2(frames, channel_of_program);
    if (shared >= 0) dup2(shared, shared_of_program);
  }
  if (!argv.empty()) execvpe(argv[0].c_str(), null_terminated(argv).data(), null_terminated(env).data());
  const std::string program = argv.empty() ? "no program" : argv[0];
  write_frame(frames, failure_frame, fmt::format("{} cannot be started: {}", program, std::strerror(errno)));
  _exit(not_started);
}

void Channel::step(const std::string& what) const { write_frame(descriptor_, step_frame, what); }
void Channel::answer(const std::string& bytes) const { write_frame(descriptor_, answer_frame, bytes); }

pid_t fork_child(int output, const std::function<void()>& body) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    become_child(parent, output, output);
    body();
  }
  return child;
}

std::string reap_child(pid_t pid, const Frames& said, const std::string& why) {
  if (!why.empty()) kill(pid, SIGKILL);
  int status = 0;
  bool known = false;
  for (int i = 0; i < 200 && !(known = waitpid(pid, &status, WNOHANG) == pid); ++i) {
    if (i == 100) kill(pid, SIGKILL);  // it closed its side and still runs
    usleep(1000);
  }
  kill(-pid, SIGKILL);
  if (!why.empty()) return why;
  if (!said.failure.empty()) return said.failure;
  if (!known) return "ended" + said.place();
  if (WIFSIGNALED(status)) return fmt::format("ended by {}{}", signal_name(WTERMSIG(status)), said.place());
  return fmt::format("ended with status {}{}", WEXITSTATUS(status), said.place());
}

void close_inherited() {
  DIR* folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  std::vector<int> inherited;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number < 3 || number == dirfd(folder)) continue;
    const int flags = fcntl(number, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) inherited.push_back(number);
  }
  closedir(folder);
  for (const int number : inherited) ::close(number);
}

std::int64_t resident_mib(pid_t pid) {
  const Descriptor file(::open(fmt::format("/proc/{}/statm", pid).c_str(), O_RDONLY | O_CLOEXEC));
  char line[128] = {};
  if (!file || ::read(file.get(), line, sizeof(line) - 1) <= 0) return 0;
  long long size = 0;
  long long resident = 0;
  if (std::sscanf(line, "%lld %lld", &size, &resident) != 2) return 0;
  return resident * sysconf(_SC_PAGESIZE) / (1 << 20);
}

}  // namespace envdoctor
