#include "app/options/input_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <utility>

#include "app/options/options.h"
#include "evidence/json.h"
#include "host/files/descriptor.h"
#include "probe/paste/log_reader.h"
#include "probe/paste/log_text.h"
#include "probe/redaction/redact.h"

namespace envdoctor {
namespace {

constexpr std::size_t input_limit = 65 << 20;

using Clock = std::chrono::steady_clock;
struct ReadingLimit {
  std::chrono::seconds limit{};
  Clock::time_point until = Clock::time_point::max();
  bool standard_input_too = false;
} reading_limit;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw UsageError(fmt::format("{}: cannot {}: {}", shown_name(path), what, std::strerror(errno)));
}

// A file, a pipe, a terminal or /dev/null. Does not block: a pipe may not have a writer yet.
Descriptor open_input(const std::string& path) {
  Descriptor file(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                              : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) fail(path, "open");
  if (S_ISDIR(status.st_mode)) throw UsageError(shown_name(path) + ": is a folder; a file is needed");
  const bool null = S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
  if ((S_ISCHR(status.st_mode) && !null && isatty(file.get()) == 0) || S_ISBLK(status.st_mode))
    throw UsageError(shown_name(path) + ": is a device; a file or a pipe is needed");
  return file;
}

// Milliseconds as poll takes them.
int time_left(bool standard_input) {
  if (reading_limit.until == Clock::time_point::max() || (standard_input && !reading_limit.standard_input_too))
    return -1;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(reading_limit.until - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

void read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take) {
  const Descriptor file = open_input(path);
  std::string buffer(1 << 16, '\0');
  while (true) {
    pollfd ready{.fd = file.get(), .events = POLLIN, .revents = 0};
    const int left = time_left(path == "-");
    const int some = left == 0 ? 0 : ::poll(&ready, 1, left);
    if (some == 0)
      throw UsageError(
          fmt::format("{}: has no end within {} s (--timeout); if it is no endless file or pipe, allow more",
                      shown_name(path), reading_limit.limit.count()));
    const ssize_t got = some < 0 ? -1 : ::read(file.get(), buffer.data(), buffer.size());
    if (got == 0 || (got > 0 && !take({buffer.data(), static_cast<std::size_t>(got)}))) return;
    if (got < 0 && errno != EINTR && errno != EAGAIN) fail(path, "read");
  }
}

}  // namespace

std::chrono::milliseconds reading_time_left() { return std::chrono::milliseconds(std::max(time_left(false), 0)); }

void limit_reading(std::chrono::seconds limit, bool standard_input_too) {
  reading_limit = {.limit = limit, .until = Clock::now() + limit, .standard_input_too = standard_input_too};
}

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string report_name(const std::string& path, bool redacted) {
  const std::string home = redacted ? identity_of(environment()).home : "";
  return home.empty() || !path.starts_with(home + "/") ? shown_name(path) : "$HOME" + path.substr(home.size());
}

Snapshot read_snapshot(const std::string& path, bool redacted) {
  Snapshot snapshot;
  std::string content = read_input(path);
  if (content.starts_with("\xff\xfe") || content.starts_with("\xfe\xff")) {  // as PowerShell's > writes it
    const std::string wide = std::exchange(content, {});
    LogText text([&](std::string_view piece) { content += piece; });
    text.feed(wide);
    text.finish();
  }
  try {
    snapshot = snapshot_from_json(content, shown_name(path));
  } catch (const std::exception& error) {
    const std::size_t first = content.find_first_not_of(" \t\r\n");
    if (first == content.npos || content[first] == '{' || content[first] == '[') throw;
    throw UsageError(std::string(error.what()) + " (pass a log with --log)");
  }
  if (redacted) redact(snapshot, {});
  return snapshot;
}

std::string read_input(const std::string& path) {
  std::string content;
  read_pieces(path, [&](std::string_view piece) {
    content += piece;
    return content.size() < input_limit;  // the document's parser reports the error
  });
  return content;
}

Snapshot read_log_file(const std::string& path, bool redact) {
  LogReader reader(path == "-" ? "stdin" : std::filesystem::path(path).filename().string(), redact);
  LogText text([&](std::string_view piece) { reader.feed(piece); });
  try {
    read_pieces(path, [&](std::string_view piece) {
      text.feed(piece);
      return true;
    });
    text.finish();
  } catch (const NoLog& error) {
    throw UsageError(fmt::format("{}: {}", shown_name(path), error.what()));
  }
  return reader.finish();
}

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> env;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view line = *entry;
    const auto equals = line.find('=');
    if (equals != line.npos && equals > 0) env.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return env;
}

}  // namespace envdoctor
