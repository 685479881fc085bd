#include "host/node_opens.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

namespace envdoctor {

NodeOpens::NodeOpens(const std::vector<std::string>& paths) : events_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  for (const std::string& path : paths) {
    if (events_ && inotify_add_watch(events_.get(), path.c_str(), IN_OPEN) < 0) events_.close();
  }
}

bool NodeOpens::read() {
  const std::int64_t before = count_;
  alignas(inotify_event) char bytes[4096];
  ssize_t count = 0;
  while (events_ && (count = ::read(events_.get(), bytes, sizeof bytes)) > 0) {
    for (ssize_t at = 0; at < count;) {
      inotify_event event{};
      std::memcpy(&event, bytes + at, sizeof event);
      at += static_cast<ssize_t>(sizeof event + event.len);
      ++count_;
    }
  }
  return count_ != before;
}

bool may_open(const std::string& path) { return ::access(path.c_str(), R_OK | W_OK) == 0; }

double cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

}  // namespace envdoctor
