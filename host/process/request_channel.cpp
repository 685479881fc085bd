#include "host/process/request_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "host/process/subprocess_child.h"

namespace envdoctor {
namespace {

constexpr char request_frame = 'q';
constexpr int memory_interval_ms = 50;

}  // namespace

RequestChannel::RequestChannel(const std::vector<std::string>& argv, const std::vector<std::string>& env, int shared,
                               std::int64_t memory_mib)
    : memory_mib_(memory_mib) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw RequestChannelClosed(fmt::format("cannot create a socket: {}", std::strerror(errno)));
  socket_ = Descriptor(ends[0]);
  const Descriptor other(ends[1]);
  pid_ = fork_child(STDERR_FILENO, [&] { become_program(argv, env, other.get(), true, shared); });
  if (pid_ < 0) throw RequestChannelClosed(fmt::format("cannot start a child process: {}", std::strerror(errno)));
  signal(SIGPIPE, SIG_IGN);  // it may end while we write
}

RequestChannel::~RequestChannel() {
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string RequestChannel::request(const std::string& request, const std::function<void(const std::string&)>& step) {
  if (pid_ <= 0) throw RequestChannelClosed("the program has ended");
  write_frame(socket_.get(), request_frame, request);
  const int before = said_.answers;
  char bytes[65536];
  while (said_.answers == before) {
    pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, memory_interval_ms) <= 0) {
      if (resident_mib(pid_) > memory_mib_) close(fmt::format("took more than {} MiB of memory", memory_mib_));
      continue;
    }
    const ssize_t count = ::read(socket_.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) close("");
    const std::string last = said_.step;
    said_.take({bytes, static_cast<std::size_t>(count)});
    if (said_.bad()) close(said_.why_bad());
    if (step && said_.step != last) step(said_.step);
  }
  return said_.answer;
}

void RequestChannel::close(const std::string& why) {
  throw RequestChannelClosed(reap_child(std::exchange(pid_, -1), said_, why.empty() ? why : why + said_.place()));
}

}  // namespace envdoctor
