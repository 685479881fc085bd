#include "checks/driver/node_access.h"

#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"

namespace envdoctor {

bool mode_gives(const DeviceNode& node, std::size_t digit_from_end) {
  const std::string& mode = node.mode.or_empty();
  if (mode.size() < digit_from_end) return false;
  const char digit = mode[mode.size() - digit_from_end];
  return digit == '6' || digit == '7';
}

bool in_group_of(const Snapshot& snapshot, const DeviceNode& node) {
  const auto& groups = of(snapshot.host, &HostFacts::user).or_empty().groups.or_empty();
  return node.gid.get() && std::ranges::find(groups, *node.gid.get()) != groups.end();
}

bool refused_by_policy(const Snapshot& snapshot, const DeviceNode& node) {
  return node.path.get() && node.accessible.is(false) && node.error.is("EACCES") &&
         (mode_gives(node, 1) || (mode_gives(node, 2) && in_group_of(snapshot, node)));
}

}  // namespace envdoctor
