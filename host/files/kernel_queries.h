#pragma once
// Queries to the running kernel that no file answers. For the live host only.
#include <cstdint>
#include <string>
#include <vector>

#include "evidence/reading.h"
#include "host/files/descriptor.h"

namespace envdoctor {

// "x86_64", "aarch64", …
Reading<std::string> machine();
// Size of the file system that holds `path`.
Reading<std::int64_t> file_system_size_mib(const std::string& path);
// What the kernel has printed since it started, as far as its buffer still holds it, at most the last 4 MiB: one record
// a line, "[seconds] text", oldest first. Failed with EPERM where this user may not read it. Never waits.
Reading<std::string> kernel_messages();

// Device nodes, without opening them: when a process opens one, and whether we may.
// Counts how often these files are opened, by any process (inotify doesn't report which).
class NodeOpens {
 public:
  explicit NodeOpens(const std::vector<std::string>& paths);
  // Readable when there are events; -1 where the kernel didn't let us watch all of them.
  [[nodiscard]] int descriptor() const { return events_.get(); }
  // Reads the pending events. True if there were any.
  bool read();
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  Descriptor events_{};
  std::int64_t count_ = 0;
};

// Whether owner, group and mode let this user read and write it. Does not open it, which may wake a GPU.
bool may_open(const std::string& path);

// The CPU time that this process has used, in seconds.
double cpu_seconds();

}  // namespace envdoctor
