#include "host/companion.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <utility>

#include "host/apart_child.h"
#include "host/foreground.h"

namespace envdoctor {

Companion::Companion(const Work& work) {
  int frames[2], ending[2];
  if (pipe2(frames, O_CLOEXEC) != 0) {
    why_ = std::string("no pipe: ") + std::strerror(errno);
    return;
  }
  frames_ = Descriptor(frames[0]);
  Descriptor frames_out(frames[1]);
  if (pipe2(ending, O_CLOEXEC) != 0) {
    why_ = std::string("no pipe: ") + std::strerror(errno);
    return;
  }
  Descriptor ending_in(ending[0]);
  ending_ = Descriptor(ending[1]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    frames_.close();
    ending_.close();
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    become_child(parent, nothing, nothing);
    close_inherited();
    do_work([&] { work(Channel(frames_out.get()), ending_in.get()); }, frames_out.get());
  }
  if (pid_ < 0) why_ = std::string("no process: ") + std::strerror(errno);
  fcntl(frames_.get(), F_SETFL, O_NONBLOCK);
}

Companion::~Companion() {
  if (pid_ > 0) stop("no longer needed");
}

Companion::Companion(Companion&& other) noexcept { *this = std::move(other); }

Companion& Companion::operator=(Companion&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(frames_, other.frames_);
  std::swap(ending_, other.ending_);
  std::swap(said_, other.said_);
  std::swap(why_, other.why_);
  return *this;
}

bool Companion::read() {
  bool news = false;
  char bytes[65536];
  while (pid_ > 0) {
    const ssize_t count = ::read(frames_.get(), bytes, sizeof bytes);
    if (count > 0) {
      const int before = said_.answers;
      said_.take({bytes, static_cast<std::size_t>(count)});
      news = news || said_.answers != before;
      if (said_.bad()) stop(said_.why_bad());
    } else if (count == 0) {
      reap({});
    } else if (errno != EINTR) {
      break;
    }
  }
  return news;
}

// The pipe is closed: it has ended, or is about to.
void Companion::reap(const std::string& why) {
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 200 && (ended = waitpid(pid_, &status, WNOHANG)) == 0; ++i) {
    if (i == 100) kill(pid_, SIGKILL);
    usleep(1000);
  }
  const std::string place = said_.step.empty() ? "" : " in " + said_.step;
  if (!why.empty())
    why_ = why;
  else if (!said_.trouble.empty())
    why_ = said_.trouble;
  else if (ended == pid_ && WIFSIGNALED(status))
    why_ = fmt::format("ended by SIG{}{}", sigabbrev_np(WTERMSIG(status)), place);
  else
    why_ = "ended" + place;
  pid_ = -1;
}

void Companion::end(Milliseconds patience) {
  ending_.close();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (pid_ > 0) {
    read();
    const auto left = std::chrono::duration_cast<Milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (pid_ <= 0) break;
    if (left <= 0) return stop("gave no last answer" + (said_.step.empty() ? "" : ": hangs in " + said_.step));
    pollfd ready{.fd = frames_.get(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, static_cast<int>(left));
  }
}

void Companion::stop(const std::string& why) {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  reap(why);
}

std::int64_t Companion::memory_mib() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/statm");
  std::int64_t whole = 0, resident = 0;
  in >> whole >> resident;
  return in ? resident * (sysconf(_SC_PAGESIZE) / 1024) / 1024 : 0;
}

}  // namespace envdoctor
