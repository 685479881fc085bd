#pragma once
// What /proc tells of one process: the libraries it has mapped, the GPU nodes it holds open, its DRM clients.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"

namespace envdoctor {

// The files of /proc/PID/maps whose names knowledge/process_libraries.json lists, sorted. A file that was replaced
// since keeps its path.
std::vector<std::string> mapped_libraries(std::string_view maps);

// A /proc/PID/fdinfo/FD of a DRM node (Linux, Documentation/gpu/drm-usage-stats.rst).
struct DrmClient {
  std::string driver{};
  std::string address{};
  std::string id{};
  std::map<std::string, std::int64_t> busy_ns{};  // by engine, the number of such engines divided out
  std::int64_t memory_mib = 0;                    // on the device itself
  [[nodiscard]] bool tells() const { return !address.empty() && !busy_ns.empty(); }
};
DrmClient parse_fdinfo(std::string_view text);

// Whether a path, relative to the folder of the nodes ("nvidia0", "dri/renderD128"), is a GPU node; and whether it is
// one that computing needs, not only asking (nvidiactl) or showing (card0).
bool is_gpu_node(std::string_view name);
bool is_compute_node(std::string_view name);

struct OpenNodes {
  std::set<std::string> paths{};
  std::vector<DrmClient> clients{};
};
// The GPU nodes under `folder` ("/dev") that it holds open. Failed where it may not be looked into; absent if it's
// gone.
Reading<OpenNodes> open_nodes(const Files& files, std::int64_t pid, const std::string& folder);

}  // namespace envdoctor
