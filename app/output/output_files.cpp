#include "app/output/output_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/options/options.h"
#include "host/files/open_in_root.h"

namespace envdoctor {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void not_written(const std::string& path, const std::string& what) {
  throw UsageError(fmt::format("{}: cannot {}: {}", path, what, std::strerror(errno)));
}

// In a folder where everybody may write, such as /tmp, a link or a file of somebody else may be a trap. The kernel's
// fs.protected_symlinks and fs.protected_regular refuse them too, but only where files are opened.
void refuse_planted(const std::string& path, const std::string& at) {
  struct stat found {
  }, folder{};
  if (lstat(at.c_str(), &found) != 0 || stat(fs::path(at).parent_path().c_str(), &folder) != 0) return;
  constexpr mode_t shared = S_ISVTX | S_IWOTH;
  if ((folder.st_mode & shared) != shared || found.st_uid == geteuid() || found.st_uid == folder.st_uid) return;
  throw UsageError(fmt::format("{}: cannot write: {} belongs to another user; name a file elsewhere", path, at));
}

// Where the plain file lies that this path names, or would. Empty: it is no plain file, or a stream that is open.
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

// Owner and mode of the file that it replaces, or what a new file has.
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

bool replace(const std::string& place, int file, const std::string& fresh, const std::string& content) {
  return write_all(file, content) && dress(file, place) && (fsync(file) == 0 || errno == EINVAL) &&
         rename(fresh.c_str(), place.c_str()) == 0;
}

}  // namespace

void write_file(const std::string& path, const std::string& content) {
  if (path == "-") return write_out(content);
  const std::string place = place_of(path);
  if (place.empty()) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC));
    if (!file || !write_all(file.get(), content)) not_written(path, "write");
    return;
  }
  if (access(place.c_str(), F_OK) == 0 && access(place.c_str(), W_OK) != 0) not_written(path, "write");
  const std::string folder = fs::path(place).parent_path();
  std::string fresh = folder + "/.envdoctor-XXXXXX";
  const Descriptor file(mkostemp(fresh.data(), O_CLOEXEC));
  if (!file) not_written(path, "write a new file beside it in folder " + folder);
  if (replace(place, file.get(), fresh, content)) return;
  const int why = errno;
  unlink(fresh.c_str());
  errno = why;
  not_written(path, "write");
}

void write_out(const std::string& content) {
  const bool whole =
      std::fwrite(content.data(), 1, content.size(), stdout) == content.size() && std::fflush(stdout) == 0;
  if (!whole && errno != EPIPE) not_written("standard output", "write");
}

void tell(const std::string& message) { (void)std::fputs(message.c_str(), stderr); }

void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) < 0)  // the number that open gives is the lowest free one
      (void)::open("/dev/null", (stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
}

}  // namespace envdoctor
