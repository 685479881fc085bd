#include "host/net/local_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <stdexcept>

#include "host/process/subprocess_child.h"

namespace envdoctor {
namespace {

using Clock = std::chrono::steady_clock;

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
};

// Size 0: not a numeric address.
Address address_of(const std::string& text, std::uint16_t port) {
  Address address;
  if (auto* four = reinterpret_cast<sockaddr_in*>(&address.bytes);
      inet_pton(AF_INET, text.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
  } else if (auto* six = reinterpret_cast<sockaddr_in6*>(&address.bytes);
             inet_pton(AF_INET6, text.c_str(), &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
    address.size = sizeof(sockaddr_in6);
  }
  return address;
}

void noticed(int) {}  // a child has ended: poll returns

// The processes that hold connections, and when each must end.
class Holders {
 public:
  [[nodiscard]] std::size_t count() const { return until_.size(); }
  void add(pid_t pid, Clock::time_point until) { until_[pid] = until; }
  void reap() {
    for (pid_t pid = 0; (pid = waitpid(-1, nullptr, WNOHANG)) > 0;) until_.erase(pid);
  }
  void end_what_must(std::int64_t memory_mib) const {
    for (const auto& [pid, until] : until_) {
      if (Clock::now() > until || resident_mib(pid) > memory_mib) kill(-pid, SIGKILL);
    }
  }

 private:
  std::map<pid_t, Clock::time_point> until_{};
};

}  // namespace

LocalServer::LocalServer(const std::string& address, std::uint16_t port) {
  Address at = address_of(address, port);
  if (at.size == 0) throw std::runtime_error(fmt::format("{} is no numeric address, such as 127.0.0.1", address));
  const int family = at.bytes.ss_family;
  listening_ = Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  (void)setsockopt(listening_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  auto* bytes = reinterpret_cast<sockaddr*>(&at.bytes);
  if (!listening_ || ::bind(listening_.get(), bytes, at.size) != 0 || ::listen(listening_.get(), SOMAXCONN) != 0 ||
      getsockname(listening_.get(), bytes, &at.size) != 0)
    throw std::runtime_error(fmt::format("cannot listen on {} port {}: {}", address, port, std::strerror(errno)));
  port_ = ntohs(family == AF_INET ? reinterpret_cast<sockaddr_in*>(bytes)->sin_port
                                  : reinterpret_cast<sockaddr_in6*>(bytes)->sin6_port);
}

void LocalServer::run(const ServerLimits& limits, const std::function<void(int socket)>& answer) const {
  sigset_t ended, before;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, &before);
  sigdelset(&before, SIGCHLD);
  struct sigaction act {};
  act.sa_handler = noticed;
  sigaction(SIGCHLD, &act, nullptr);
  const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  Holders holders;
  while (true) {
    holders.reap();
    holders.end_what_must(limits.memory_mib);
    const bool room = holders.count() < limits.at_once;
    pollfd polled{.fd = room ? listening_.get() : -1, .events = POLLIN, .revents = 0};
    const timespec look{.tv_sec = 0, .tv_nsec = 100'000'000};  // while children run, to check their memory and time
    if (::ppoll(&polled, 1, holders.count() > 0 ? &look : nullptr, &before) <= 0) continue;
    const Descriptor socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) {
      // Without a free descriptor or memory accept would fail again at once.
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) ::poll(nullptr, 0, 100);
      continue;
    }
    const pid_t child = fork_child(nothing.get(), [&] {
      answer(socket.get());
      _exit(0);
    });
    if (child > 0) holders.add(child, Clock::now() + limits.time);
  }
}

bool is_number_or_localhost(const std::string& host) {
  const auto port_at = host.rfind(':');
  const bool six = host.starts_with('[');
  const bool with_port = port_at != host.npos && (!six || host.find(']') < port_at);
  const std::string port = with_port ? host.substr(port_at + 1) : "0";
  if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; }))
    return false;
  std::string name = with_port ? host.substr(0, port_at) : host;
  if (six) {
    if (!name.ends_with(']')) return false;
    name = name.substr(1, name.size() - 2);
    return address_of(name, 0).size == sizeof(sockaddr_in6);
  }
  return name == "localhost" || address_of(name, 0).size == sizeof(sockaddr_in);
}

}  // namespace envdoctor
