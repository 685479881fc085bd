#pragma once
// A command that fails and works after a change: the change tells the cause.
#include <vector>

#include "evidence/snapshot.h"
#include "probe/tools/shell_session.h"

namespace envdoctor {

// For each pair of commands that run the same program, of which one fails (or is several times slower) and the other
// works, and that differ by one change of knowledge/wordings/helping_changes.json: the symptom {noted,
// "helping-change"} at the command that works, with the change's name in its detail "change".
void compare_attempts(const std::vector<ShellCommand>& session, Snapshot& snapshot);

}  // namespace envdoctor
