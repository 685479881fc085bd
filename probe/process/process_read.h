#pragma once
// What /proc shows of one process: the libraries it has mapped, the GPU nodes it holds open, its DRM clients.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/files.h"

namespace envdoctor {

// The files of /proc/PID/maps whose names knowledge/frameworks/process_libraries.json lists, sorted. A file that has
// been replaced keeps its path.
std::vector<std::string> mapped_libraries(std::string_view maps);

// A /proc/PID/fdinfo/FD of a DRM node (Linux, Documentation/gpu/drm-usage-stats.rst).
struct DrmClient {
  std::string driver{};
  std::string address{};
  std::string id{};
  std::map<std::string, std::int64_t> busy_ns{};  // by engine, the number of such engines divided out
  std::int64_t memory_mib = 0;                    // on the device itself
  [[nodiscard]] bool is_complete() const { return !address.empty() && !busy_ns.empty(); }
};
DrmClient parse_fdinfo(std::string_view text);

// Whether a path, relative to the folder of the nodes ("nvidia0", "dri/renderD128"), is a GPU node; and whether it is
// one for computing, not only for queries (nvidiactl) or display (card0).
bool is_gpu_node(std::string_view name);
bool is_compute_node(std::string_view name);

struct OpenNodes {
  std::set<std::string> paths{};
  std::vector<DrmClient> clients{};
};
// The GPU nodes under `folder` ("/dev") that it holds open. Failed if the process may not be inspected; absent if it's
// gone.
Reading<OpenNodes> open_nodes(const Files& files, std::int64_t pid, const std::string& folder);

// A process and its descendants, as far as they were seen while their parents were alive.
struct ProcessStat {
  std::string name{};
  std::int64_t parent = 0;
  std::int64_t started = 0;  // clock ticks since boot: together with the PID it identifies a process
  std::int64_t spent = 0;    // processor time of all its threads, in clock ticks
  char state = '?';
};
// /proc/PID/stat. Malformed text gives parent 0.
ProcessStat parse_stat(std::string_view text);

class ProcessTree {
 public:
  // `besides`: processes that are left out with their descendants, such as the observer itself.
  ProcessTree(const Files& files, std::int64_t root, std::set<std::int64_t> besides = {})
      : files_(files), root_(root), besides_(std::move(besides)) {}

  // Looks for new ones and drops those that have ended.
  void look();
  // The names of the running ones, by PID.
  [[nodiscard]] const std::map<std::int64_t, ProcessStat>& alive() const { return alive_; }
  // Whether a process of this PID was ever seen in the tree.
  [[nodiscard]] bool had(std::int64_t pid) const { return ever_.contains(pid); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(ever_.size()); }

 private:
  const Files& files_;
  std::int64_t root_;
  std::set<std::int64_t> besides_{};
  std::map<std::int64_t, ProcessStat> alive_{};
  std::map<std::int64_t, std::int64_t> parents_{};  // of all processes of the host, as first seen
  std::set<std::int64_t> ever_{};
};

}  // namespace envdoctor
