#pragma once
// Mounts, from /proc/self/mountinfo.
#include <string>
#include <string_view>
#include <vector>

#include "host/files/files.h"

namespace envdoctor {

struct Mount {
  std::string root{};  // the part of that file system that is mounted
  std::string point{};
  std::string type{};
  std::string source{};
  std::string options{};  // the file system's own, comma-separated
};

// In mount order: of two at one mount point the later one counts. Malformed lines are skipped.
std::vector<Mount> parse_mounts(std::string_view mountinfo);
// Those of this process.
Reading<std::vector<Mount>> read_mounts(const Files& files);
// The mount that contains an absolute path; null if none does.
const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path);
// The value of one option; empty if it isn't set.
std::string_view option_of(const Mount& mount, std::string_view name);

}  // namespace envdoctor
