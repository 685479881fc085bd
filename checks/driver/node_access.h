#pragma once
// Whether a node that may not be opened is closed by its mode, or by a policy that the mode doesn't show.
#include "evidence/snapshot.h"

namespace envdoctor {

// The owner's, group's or everybody's bits give reading and writing; `digit_from_end` 1: others, 2: the group.
bool mode_gives(const DeviceNode& node, std::size_t digit_from_end);
// This user is in the node's group.
bool in_group_of(const Snapshot& snapshot, const DeviceNode& node);
// A GPU's node answered EACCES, though its mode lets this user in.
bool refused_by_policy(const Snapshot& snapshot, const DeviceNode& node);

}  // namespace envdoctor
