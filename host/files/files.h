#pragma once
// The only access to the file system. Every path is resolved under a root, so that a captured host reads like this one.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "evidence/reading.h"

namespace envdoctor {

struct FileStatus {
  enum class Kind { file, folder, link, character_device, block_device, other };
  Kind kind = Kind::file;
  std::uint32_t mode = 0;  // permission bits
  std::uint32_t uid = 0, gid = 0;
  std::uint32_t major = 0, minor = 0;
  std::uint64_t size = 0;
};

// Errors: a path that isn't there is absent; anything else is failed, with the path and the errno name in the reason.
class Files {
 public:
  virtual ~Files() = default;
  // The content, at most `limit` bytes; a longer file is failed. /proc files of size 0 are read to their end.
  [[nodiscard]] virtual Reading<std::string> read(const std::string& path, std::size_t limit = 1 << 20) const = 0;
  // Names in a folder, sorted, without . and ..
  [[nodiscard]] virtual Reading<std::vector<std::string>> list(const std::string& path) const = 0;
  // The target of a symbolic link, as written.
  [[nodiscard]] virtual Reading<std::string> link(const std::string& path) const = 0;
  // The final target of a path, inside the root, as an absolute path.
  [[nodiscard]] virtual Reading<std::string> resolve(const std::string& path) const = 0;
  [[nodiscard]] virtual Reading<FileStatus> status(const std::string& path) const = 0;  // follows links
  // "" if this user may open it for reading and writing, else the errno name: "EACCES", "EPERM", "ENXIO", …
  [[nodiscard]] virtual Reading<std::string> open_error(const std::string& path) const = 0;
  // Where the root lies on this machine ("/" for the live host): for libpci and hwloc, which read files themselves.
  [[nodiscard]] virtual std::string root() const = 0;
};

// Files under `root`, which no link and no ".." can leave (openat2 RESOLVE_IN_ROOT, with a fallback).
// A captured root is a folder named `root`; beside it may lie `nodes.txt` (device nodes, owners and modes, which an
// archive can't keep) and `errors.txt` (the error that reading a path gave), see host/files/capture_metadata.h.
std::unique_ptr<Files> open_files(const std::string& root);

// First line without its end, blanks trimmed. An empty file is failed.
Reading<std::string> read_line(const Files& files, const std::string& path);
// A decimal or 0x number on the first line.
Reading<std::int64_t> read_number(const Files& files, const std::string& path);

}  // namespace envdoctor
