#pragma once
// What happened before the system was last started: history, once the driver answers again.
#include <optional>

#include "evidence/snapshot.h"

namespace envdoctor {

// The snapshot without what its texts tell of earlier starts; nothing: all of it is of today, or nothing shows that the
// driver answers since.
std::optional<Snapshot> without_history(const Snapshot& snapshot);

}  // namespace envdoctor
