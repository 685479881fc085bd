#pragma once
// Whether a node can't be opened because of its mode, or because of a policy that the mode doesn't show.
#include "evidence/snapshot.h"

namespace envdoctor {

// Whether the owner's, group's or others' bits permit reading and writing; `digit_from_end` 1: others, 2: the group.
bool mode_gives(const DeviceNode& node, std::size_t digit_from_end);
// This user is in the node's group.
bool in_group_of(const Snapshot& snapshot, const DeviceNode& node);
// A GPU's node answered EACCES, though its mode permits access.
bool refused_by_policy(const Snapshot& snapshot, const DeviceNode& node);

}  // namespace envdoctor
