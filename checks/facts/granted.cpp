#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"

namespace envdoctor {
namespace {

// The nodes of a single GPU; empty: unknown.
std::string own_node(const Gpu& gpu, const Snapshot& snapshot) {
  for (const NvidiaProcGpu& row : of(snapshot.nvidia, &Nvidia::proc_gpus).or_empty()) {
    if (gpu.vendor == Vendor::nvidia && row.address.get() && address_of(row.address) == gpu.address && row.minor.get())
      return "/dev/nvidia" + std::to_string(*row.minor.get());
  }
  for (const RocmDevice& row : of(snapshot.rocm, &Rocm::devices).or_empty()) {
    if (gpu.vendor == Vendor::amd && row.pci_address.get() && address_of(row.pci_address) == gpu.address &&
        row.render_node.get())
      return *row.render_node.get();
  }
  return {};
}

enum class Node { open, withheld, unknown };

// Withheld: the node doesn't exist, or the cgroup forbids it (EPERM). Missing permission (EACCES) is a fault instead.
Node node_state(const std::string& path, const Snapshot& snapshot) {
  if (path.empty() || !snapshot.device_nodes.get()) return Node::unknown;
  const DeviceNode* node = node_of(snapshot, path);
  if (!node) return Node::withheld;
  if (node->accessible.is(true)) return Node::open;
  return node->error.is("EPERM") ? Node::withheld : Node::unknown;
}

}  // namespace

// A GPU is not granted if another one of the same vendor was given instead: its own node is withheld and the
// other's can be opened, or, inside a container or a Slurm job, the driver lists others but not this one.
void mark_granted(std::vector<Gpu>& gpus, const Snapshot& snapshot) {
  const bool confined = in_container(snapshot).is(true) || env_of(snapshot, "SLURM_JOB_ID").get() ||
                        env_of(snapshot, "SLURM_JOB_GPUS").get() || env_of(snapshot, "SLURM_STEP_GPUS").get();
  for (Gpu& gpu : gpus) {
    const Node own = node_state(own_node(gpu, snapshot), snapshot);
    const bool other_given = std::ranges::any_of(gpus, [&](const Gpu& other) {
      return &other != &gpu && other.vendor == gpu.vendor &&
             (other.nvml_index >= 0 || node_state(own_node(other, snapshot), snapshot) == Node::open);
    });
    const bool nvidia = gpu.vendor == Vendor::nvidia;
    const bool left_out = own == Node::unknown && confined && nvidia && of(snapshot.nvidia, &Nvidia::devices).get();
    if (other_given && !(nvidia && gpu.nvml_index >= 0) && (own == Node::withheld || left_out)) gpu.granted = false;
  }
}

}  // namespace envdoctor
