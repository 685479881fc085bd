#include "kernels/devices/numa.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

namespace envdoctor::kernels {

cpu_set_t cpus_of(const std::string& list) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto number = [&](int& value) {
    const auto [next, error] = std::from_chars(at, end, value);
    at = next;
    return error == std::errc{} && value >= 0;
  };
  while (at != end) {
    int first = 0;
    if (!number(first)) break;
    int last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!number(last)) break;
    }
    for (int cpu = first; cpu <= std::min(last, CPU_SETSIZE - 1); ++cpu) CPU_SET(static_cast<unsigned>(cpu), &set);
    if (at == end || *at != ',') break;
    ++at;
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
