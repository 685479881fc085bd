#include "kernels/devices/numa.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace envdoctor::kernels {

cpu_set_t cpus_of(const std::string& list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    int first = -1;
    const char* const end = part.data() + part.size();
    const char* at = std::from_chars(part.data(), end, first).ptr;
    const bool range = at != end && *at == '-';
    int last = range ? -1 : first;
    if (range) at = std::from_chars(at + 1, end, last).ptr;
    if (first < 0 || last < 0) break;
    for (int cpu = first; cpu <= std::min(last, CPU_SETSIZE - 1); ++cpu) CPU_SET(static_cast<unsigned>(cpu), &set);
    if (at != end) break;
  }
  return set;
}

std::vector<NumaNode> numa_nodes(const std::string& folder) {
  std::vector<NumaNode> nodes;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return nodes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    NumaNode node;
    if (!name.starts_with("node") ||
        std::from_chars(name.data() + 4, name.data() + name.size(), node.index).ec != std::errc{})
      continue;
    std::string list;
    std::ifstream file(entry.path() / "cpulist");
    std::getline(file, list);
    const cpu_set_t cpus = cpus_of(list);
    CPU_AND(&node.cpus, &cpus, &allowed);
    if (CPU_COUNT(&node.cpus) > 0) nodes.push_back(node);
  }
  std::ranges::sort(nodes, {}, &NumaNode::index);
  return nodes;
}

NodeAffinity::NodeAffinity(const NumaNode& node) {
  CPU_ZERO(&before_);
  sched_getaffinity(0, sizeof(before_), &before_);
  sched_setaffinity(0, sizeof(node.cpus), &node.cpus);
}
NodeAffinity::~NodeAffinity() {
  if (CPU_COUNT(&before_) > 0) sched_setaffinity(0, sizeof(before_), &before_);
}

}  // namespace envdoctor::kernels
