#pragma once
#include "evidence/snapshot.h"

namespace envdoctor {

// Fills into `into` what it doesn't know and `from` does; known values stay. Structs are filled field by field, maps
// key by key (except an environment that is known as a whole). A list is taken whole or not at all, except `log`,
// `texts` and `contradictions`, which are appended. A value replaces a reading that failed or is absent, and any
// reading replaces one that was not probed. What is taken keeps its entry in `sources`; where a text disagrees with a
// known field, the text's value goes to `contradictions`.
void fill_in(Snapshot& into, const Snapshot& from);

// Whether a variable that `env` does not hold is known not to be set. It is not known where single lines of a text set
// some variables.
bool environment_is_whole(const Snapshot& snapshot);

// Writes into `sources` that every field present in `snapshot` was read from this line; symptoms carry their own.
void set_sources(Snapshot& snapshot, const std::string& source, std::int64_t line);

}  // namespace envdoctor
