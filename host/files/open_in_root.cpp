#include "host/files/open_in_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <iterator>
#include <vector>

#include "host/system_names.h"
#include "host/text.h"

namespace envdoctor {
namespace {

constexpr int most_links = 40;

// The parts of a path, last one first.
std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (const std::string_view part : pieces(path, '/'))
    if (!part.empty()) parts.emplace_back(part);
  std::ranges::reverse(parts);
  return parts;
}

std::string beneath(const std::string& path) { return path.size() > 1 ? path.substr(1) : "."; }

void leave_last(std::string& path) { path.erase(std::min(path.rfind('/'), path.size())); }

}  // namespace

std::string normal_path(const std::string& path) {
  std::string done;
  for (auto parts = parts_of(path); !parts.empty(); parts.pop_back()) {
    if (parts.back() == "..") {
      leave_last(done);
    } else if (parts.back() != ".") {
      done += "/" + parts.back();
    }
  }
  return done.empty() ? "/" : done;
}

std::string follow_links(const std::string& path, bool last_too,
                         const std::function<std::optional<std::string>(const std::string& place)>& link_at) {
  std::vector<std::string> todo = parts_of(path);
  std::string done;
  int links = 0;
  while (!todo.empty()) {
    const std::string part = todo.back();
    todo.pop_back();
    if (part == ".") continue;
    if (part == "..") {
      leave_last(done);
      continue;
    }
    const std::string here = done + "/" + part;
    const auto link = last_too || !todo.empty() ? link_at(here) : std::nullopt;
    if (!link) {
      done = here;
      continue;
    }
    if (++links > most_links) {
      errno = ELOOP;
      return "";
    }
    if (link->starts_with('/')) done.clear();
    std::ranges::move(parts_of(*link), std::back_inserter(todo));
  }
  return done.empty() ? "/" : done;
}

std::string follow_links(int root, const std::string& path, bool last_too) {
  return follow_links(path, last_too, [root](const std::string& place) -> std::optional<std::string> {
    char target[PATH_MAX];
    const ssize_t length = readlinkat(root, beneath(place).c_str(), target, sizeof(target));
    return length < 0 ? std::nullopt : std::optional(std::string(target, static_cast<std::size_t>(length)));
  });
}

Descriptor open_beneath(int root, const std::string& path, int flags) {
  flags |= O_CLOEXEC;
  open_how how{};
  how.flags = static_cast<__u64>(flags);
  how.resolve = RESOLVE_IN_ROOT;
  const long opened = syscall(SYS_openat2, root, beneath(path).c_str(), &how, sizeof(how));
  if (opened >= 0) return Descriptor(static_cast<int>(opened));
  return errno == ENOSYS || errno == EPERM ? open_part_by_part(root, path, flags) : Descriptor();
}

Descriptor open_part_by_part(int root, const std::string& path, int flags) {
  std::vector<std::string> parts = parts_of(path);
  Descriptor folder(openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (folder && parts.size() > 1) {
    folder = Descriptor(openat(folder.get(), parts.back().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    parts.pop_back();
  }
  if (!folder) return {};
  return Descriptor(openat(folder.get(), parts.empty() ? "." : parts[0].c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
}

Descriptor make_folder_beneath(int root, const std::string& path) {
  constexpr int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor folder(openat(root, ".", flags));
  for (auto parts = parts_of(normal_path(path)); folder && !parts.empty(); parts.pop_back()) {
    Descriptor next(openat(folder.get(), parts.back().c_str(), flags));
    if (!next && errno == ENOENT && (mkdirat(folder.get(), parts.back().c_str(), 0777) == 0 || errno == EEXIST))
      next = Descriptor(openat(folder.get(), parts.back().c_str(), flags));
    folder = std::move(next);
  }
  return folder;
}

std::string errno_name() { return error_name(errno); }

bool readable_kind(const struct stat& status) {
  const bool kernel_log = S_ISCHR(status.st_mode) && major(status.st_rdev) == 1 && minor(status.st_rdev) == 11;
  return S_ISREG(status.st_mode) || kernel_log;
}

Reading<std::string> read_all(const Descriptor& file, const std::string& path, std::size_t limit) {
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return failed(path + ": " + errno_name());
  if (!readable_kind(status)) return failed(path + (S_ISDIR(status.st_mode) ? ": EISDIR" : ": not a plain file"));
  const auto too_long = [&] { return failed(fmt::format("{}: longer than {} bytes", path, limit)); };
  if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > limit &&
      status.st_blocks != 0)  // /sys reports sizes that it doesn't have
    return too_long();
  std::string content;
  if (S_ISREG(status.st_mode))
    content.reserve(std::min<std::uint64_t>(static_cast<std::uint64_t>(status.st_size), limit));
  for (std::vector<char> bytes(16 * 1024);;) {
    const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
    if (got > 0) {
      content.append(bytes.data(), static_cast<std::size_t>(got));
      if (content.size() > limit) return too_long();
    } else if (got == 0 || (errno == EAGAIN && S_ISCHR(status.st_mode))) {
      return content;
    } else if (errno != EINTR && errno != EPIPE) {  // EPIPE: newer lines of the kernel log overwrote older ones
      return failed(path + ": " + errno_name());
    }
  }
}

}  // namespace envdoctor
