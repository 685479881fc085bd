#pragma once
// Connections, each handled in its own process: a crash, a hang or high memory use affects only that connection.
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "host/files/descriptor.h"

namespace envdoctor {

struct ServerLimits {
  std::size_t at_once = 50;                // further ones wait to be accepted
  std::chrono::milliseconds time{60'000};  // of one connection
  std::int64_t memory_mib = 1024;          // of the process that holds it
};

class LocalServer {
 public:
  // Listens on a numeric address; port 0: one that is free. Throws std::runtime_error with the reason on failure.
  LocalServer(const std::string& address, std::uint16_t port);
  [[nodiscard]] std::uint16_t port() const { return port_; }
  // Answers connections until a signal ends this process. `answer` runs in a child that ends when it returns.
  [[noreturn]] void run(const ServerLimits& limits, const std::function<void(int socket)>& answer) const;

 private:
  Descriptor listening_{};
  std::uint16_t port_ = 0;
};

// Whether a host as a URL or a Host header names it ("127.0.0.1:8080", "[::1]", "localhost") is a number or localhost.
// The owner of a DNS name can make it resolve to this host (DNS rebinding); a number is safe.
bool is_number_or_localhost(const std::string& host);

}  // namespace envdoctor
