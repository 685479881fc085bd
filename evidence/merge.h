#pragma once
#include "evidence/snapshot.h"

namespace envdoctor {

// Fills into `into` what it doesn't know and `from` does; what it knows stays. Structs are filled field by field, maps
// key by key; a list is taken whole or not at all, but for `log`, which is appended. A reading that failed or is absent
// gives way to a value, one that was not probed to any reading.
void fill_in(Snapshot& into, const Snapshot& from);

}  // namespace envdoctor
