#pragma once
// Where this host's memory is in several places: a copy's speed depends on which of them it starts from.
#include <sched.h>

#include <string>
#include <vector>

namespace envdoctor::kernels {

struct NumaNode {
  int index = 0;
  cpu_set_t cpus{};
};

// The nodes that have processors of which this process may use some, by index; `folder` is for tests.
std::vector<NumaNode> numa_nodes(const std::string& folder = "/sys/devices/system/node");

// "0-3,8" as a set; numbers beyond what a set holds are left out.
cpu_set_t cpus_of(const std::string& list);

// Keeps this thread on a node's processors, so that what it touches first lies there, until it is destroyed.
class NodeAffinity {
 public:
  explicit NodeAffinity(const NumaNode& node);
  ~NodeAffinity();
  NodeAffinity(const NodeAffinity&) = delete;
  NodeAffinity& operator=(const NodeAffinity&) = delete;

 private:
  cpu_set_t before_{};
};

}  // namespace envdoctor::kernels
