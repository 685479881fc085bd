#include "host/files/kernel_queries.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/klog.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "host/system_names.h"
#include "host/text.h"

namespace envdoctor {

namespace {

constexpr std::size_t limit = 4 << 20;
constexpr int syslog_read_all = 3;  // SYSLOG_ACTION_READ_ALL, syslog(2)
constexpr int size_of_log = 10;     // SYSLOG_ACTION_SIZE_BUFFER

Missing refused(const char* what) { return failed(fmt::format("{}: {}", what, error_name(errno))); }

// One record of /dev/kmsg: "priority,number,microseconds,flags[,…];text", then lines that start with a blank and hold
// properties (Documentation/ABI/testing/dev-kmsg).
void append(std::string& text, const char* record, std::size_t size) {
  const std::string_view whole(record, size);
  const auto semicolon = whole.find(';');
  if (semicolon == std::string_view::npos) return;
  const auto fields = pieces(whole.substr(0, semicolon), ',');
  const auto micros = fields.size() > 2 ? number_of<std::uint64_t>(fields[2]).value_or(0) : 0;
  const auto line = whole.substr(semicolon + 1);
  text += fmt::format("[{:5}.{:06}] {}\n", micros / 1'000'000, micros % 1'000'000, line.substr(0, line.find('\n')));
}

Reading<std::string> from_device(int device) {
  std::string text;
  std::array<char, 8192> record{};  // the longest the kernel writes
  while (true) {
    const ssize_t size = ::read(device, record.data(), record.size());
    if (size > 0)
      append(text, record.data(), static_cast<std::size_t>(size));
    else if (size < 0 && (errno == EPIPE || errno == EINTR))
      continue;  // overwritten while we read: go on with the next
    else if (size < 0 && errno != EAGAIN && text.empty())
      return refused("/dev/kmsg");
    else
      break;
    if (text.size() > 2 * limit) text.erase(0, text.size() - limit);
  }
  return text;
}

}  // namespace

Reading<std::string> machine() {
  utsname name{};
  if (::uname(&name) != 0) return refused("uname");
  return std::string(name.machine);
}

Reading<std::int64_t> file_system_size_mib(const std::string& path) {
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0)
    return errno == ENOENT ? absent(path + " does not exist") : refused(path.c_str());
  return static_cast<std::int64_t>(status.f_blocks * status.f_frsize >> 20);
}

Reading<std::string> kernel_messages() {
  Reading<std::string> text;
  if (const int device = ::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC); device >= 0) {
    text = from_device(device);
    ::close(device);
  } else {
    text = refused("/dev/kmsg");
  }
  if (!text.get()) {
    const int size = ::klogctl(size_of_log, nullptr, 0);
    if (size < 0) return refused("syslog");
    std::string buffer(static_cast<std::size_t>(size), '\0');
    const int got = ::klogctl(syslog_read_all, buffer.data(), size);
    if (got < 0) return refused("syslog");
    buffer.resize(static_cast<std::size_t>(got));
    text = std::move(buffer);
  }
  if (text.get()->size() > limit) text.get()->erase(0, text.get()->size() - limit);
  return text;
}

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
