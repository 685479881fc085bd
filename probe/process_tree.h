#pragma once
// A process and all that descend from it, as far as they were seen while their parents lived.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "host/files.h"

namespace envdoctor {

struct ProcessStat {
  std::string name{};
  std::int64_t parent = 0;
  std::int64_t started = 0;  // clock ticks since boot: with the PID it names a process for good
  char state = '?';
};
// /proc/PID/stat. A text that makes no sense gives parent 0.
ProcessStat parse_stat(std::string_view text);

class ProcessTree {
 public:
  ProcessTree(const Files& files, std::int64_t root) : files_(files), root_(root) {}

  // Looks for new ones and drops those that have ended.
  void look();
  // Those that live, by PID: their names.
  [[nodiscard]] const std::map<std::int64_t, ProcessStat>& alive() const { return alive_; }
  // Whether a process of this PID was ever seen in the tree.
  [[nodiscard]] bool had(std::int64_t pid) const { return ever_.contains(pid); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(ever_.size()); }

 private:
  const Files& files_;
  std::int64_t root_;
  std::map<std::int64_t, ProcessStat> alive_{};
  std::map<std::int64_t, std::int64_t> parents_{};  // of all processes of the host, as first seen
  std::set<std::int64_t> ever_{};
};

}  // namespace envdoctor
