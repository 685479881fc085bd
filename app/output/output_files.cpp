#include "app/output/output_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "app/options/input_files.h"
#include "app/options/options.h"
#include "host/files/open_in_root.h"

namespace envdoctor {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void not_written(const std::string& path, const std::string& what) {
  throw UsageError(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

// In a world-writable folder, such as /tmp, a link or a file of another user may be an attack. The kernel's
// fs.protected_symlinks and fs.protected_regular refuse them too, but only where files are opened.
void refuse_planted(const std::string& path, const std::string& at) {
  struct stat found {
  }, folder{};
  if (lstat(at.c_str(), &found) != 0 || stat(fs::path(at).parent_path().c_str(), &folder) != 0) return;
  constexpr mode_t shared = S_ISVTX | S_IWOTH;
  if ((folder.st_mode & shared) != shared || found.st_uid == geteuid() || found.st_uid == folder.st_uid) return;
  throw UsageError(fmt::format("{}: cannot write: {} belongs to another user; name a file elsewhere", path, at));
}

// The location of the plain file that this path names or would create. Empty: not a plain file, or an open stream.
std::string place_of(const std::string& path) {
  struct stat found {};
  if (stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode)) return {};
  bool is_stream = false;
  const auto link_at = [&](const std::string& at) -> std::optional<std::string> {
    std::error_code error;
    const fs::path target = fs::read_symlink(at, error);
    if (error) return std::nullopt;
    is_stream = is_stream || at.starts_with("/proc/");
    refuse_planted(path, at);
    return target.string();
  };
  const std::string place = follow_links(fs::absolute(path).string(), true, link_at);
  if (is_stream) return {};
  refuse_planted(path, place);
  return place;
}

// Owner and mode of the file that it replaces, or the defaults of a new file.
bool dress(int file, const std::string& place) {
  struct stat old {};
  if (stat(place.c_str(), &old) == 0) {
    (void)!fchown(file, old.st_uid, old.st_gid);
    return fchmod(file, old.st_mode & 0777U) == 0;
  }
  const mode_t mask = umask(0);
  umask(mask);
  return fchmod(file, 0666U & ~mask) == 0;
}

bool fill(int file, const std::string& place, const std::string& content) {
  return write_all(file, content) && dress(file, place) && (fsync(file) == 0 || errno == EINVAL);
}

// Blocks signals while a temporary file exists, so that none is left behind.
class NoInterruption {
 public:
  NoInterruption() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_);
  }
  ~NoInterruption() {
    const int why = errno;
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    errno = why;
  }
  NoInterruption(const NoInterruption&) = delete;
  NoInterruption& operator=(const NoInterruption&) = delete;

 private:
  sigset_t before_{};
};

// Renames `fresh` to its place, or removes it.
bool rename_or_remove(bool whole, const std::string& fresh, const std::string& place) {
  if (whole && rename(fresh.c_str(), place.c_str()) == 0) return true;
  const int why = errno;
  unlink(fresh.c_str());
  errno = why;
  return false;
}

// A name that is not in use in the folder.
std::string fresh_name(const std::string& folder) {
  std::random_device random;
  return fmt::format("{}/.envdoctor-{:08x}{:08x}", folder, random(), random());
}

// The file has no name until it is complete (O_TMPFILE), so that nothing is left behind even after SIGKILL; where
// the file system does not support that, it has a name from the beginning.
bool replace(const std::string& path, const std::string& folder, const std::string& place, const std::string& content) {
  const std::string fresh = fresh_name(folder);
  const Descriptor unnamed(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (unnamed) {
    if (!fill(unnamed.get(), place, content)) return false;
    const std::string itself = fmt::format("/proc/self/fd/{}", unnamed.get());
    const NoInterruption held;
    if (linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, place.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
    if (linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, fresh.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return rename_or_remove(true, fresh, place);
  }
  const NoInterruption held;
  const Descriptor file(::open(fresh.c_str(), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600));
  if (!file) not_written(path, "write a new file beside it in folder " + folder);
  return rename_or_remove(fill(file.get(), place, content), fresh, place);
}

// A device, one of our streams, or a pipe, whose reader may not have opened it yet.
Descriptor open_as_it_stands(const std::string& path) {
  while (true) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (file) (void)fcntl(file.get(), F_SETFL, fcntl(file.get(), F_GETFL) & ~O_NONBLOCK);
    struct stat found {};
    if (file || errno != ENXIO || stat(path.c_str(), &found) != 0 || !S_ISFIFO(found.st_mode)) return file;
    if (reading_time_left().count() == 0)
      throw UsageError(path + ": cannot write: nobody reads this pipe; start its reader, or allow more by --timeout");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

void write_file(const std::string& path, const std::string& content) {
  if (path == "-") return write_out(content);
  const std::string place = place_of(path);
  if (place.empty()) {
    const Descriptor file = open_as_it_stands(path);
    if (!file || !write_all(file.get(), content)) not_written(path, "write");
    return;
  }
  if (access(place.c_str(), F_OK) == 0 && access(place.c_str(), W_OK) != 0) not_written(path, "write");
  const std::string folder = fs::path(place).parent_path();
  if (!replace(path, folder, place, content)) not_written(path, "write");
}

void write_out(const std::string& content) {
  const bool whole =
      std::fwrite(content.data(), 1, content.size(), stdout) == content.size() && std::fflush(stdout) == 0;
  if (!whole && errno != EPIPE) not_written("standard output", "write");
}

void print_message(const std::string& message) { (void)std::fputs(message.c_str(), stderr); }

void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0)  // open returns the lowest free number
      (void)::open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
}

}  // namespace envdoctor
