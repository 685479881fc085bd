#pragma once
#include "evidence/snapshot.h"

namespace envdoctor {

// Fills into `into` what it doesn't know and `from` does; what it knows stays. Structs are filled field by field, maps
// key by key, an environment that is known whole aside; a list is taken whole or not at all, but for `log`, `texts` and
// `contradictions`, which are appended. A reading that failed or is absent gives way to a value, one that was not probed
// to any reading. What is taken keeps its entry in `sources`; where a text says otherwise of a field that is known,
// `contradictions` keeps that.
void fill_in(Snapshot& into, const Snapshot& from);

// Whether a variable that `env` does not hold is known not to be set. It is not where single lines of a text set some.
bool environment_is_whole(const Snapshot& snapshot);

// Writes into `sources` that every field present in `snapshot` was read from this line; symptoms carry their own.
void set_sources(Snapshot& snapshot, const std::string& source, std::int64_t line);

}  // namespace envdoctor
