#include "host/process/background_child.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/process/subprocess_child.h"

namespace envdoctor {

BackgroundChild::BackgroundChild(const Work& work) {
  Pipe frames = make_pipe();
  Pipe ending = make_pipe();
  const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  pid_ = !frames.writing || !ending.writing ? -1 : fork_child(nothing.get(), [&] {
    frames.reading.close();
    ending.writing.close();
    close_inherited();
    do_work([&] { work(Channel(frames.writing.get()), ending.reading.get()); }, frames.writing.get());
  });
  if (pid_ < 0) why_ = std::string("cannot start a child process: ") + std::strerror(errno);
  frames_ = std::move(frames.reading);
  ending_ = std::move(ending.writing);
}

BackgroundChild::~BackgroundChild() {
  if (pid_ > 0) stop("no longer needed");
}

BackgroundChild::BackgroundChild(BackgroundChild&& other) noexcept { *this = std::move(other); }

BackgroundChild& BackgroundChild::operator=(BackgroundChild&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(frames_, other.frames_);
  std::swap(ending_, other.ending_);
  std::swap(said_, other.said_);
  std::swap(why_, other.why_);
  return *this;
}

bool BackgroundChild::read() {
  const int before = said_.answers;
  drain(frames_, [this](std::string_view bytes) { said_.take(bytes); });
  if (said_.bad())
    stop(said_.why_bad());
  else if (!frames_)
    stop({});  // closed: it has ended, or is about to end
  return said_.answers != before;
}

void BackgroundChild::end(Milliseconds patience) {
  ending_.close();
  const auto until = std::chrono::steady_clock::now() + patience;
  while (pid_ > 0) {
    read();
    if (pid_ <= 0) break;
    const auto left = std::chrono::duration_cast<Milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return stop("gave no final answer" + (said_.step.empty() ? "" : ": hangs" + said_.place()));
    pollfd ready{.fd = frames_.get(), .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, static_cast<int>(left));
  }
}

void BackgroundChild::stop(const std::string& why) {
  if (pid_ > 0) why_ = reap_child(std::exchange(pid_, -1), said_, why);
}

std::int64_t BackgroundChild::memory_mib() const { return resident_mib(pid_); }

}  // namespace envdoctor
