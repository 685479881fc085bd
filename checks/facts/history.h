#pragma once
// Events before the last boot: history, if the driver answers again.
#include <optional>

#include "evidence/snapshot.h"

namespace envdoctor {

// The snapshot without the facts that its texts report of earlier boots; nothing: it has none, or nothing shows that
// the driver answers now.
std::optional<Snapshot> without_history(const Snapshot& snapshot);

}  // namespace envdoctor
