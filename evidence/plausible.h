#pragma once
// Values that no machine can have: of a driver that answers nonsense, or of a file that somebody changed.
#include "evidence/snapshot.h"

namespace envdoctor {

// The value, or failed("impossible: …") where no machine has it at that place of a snapshot, a JSON pointer.
Number plausible(std::string_view place, std::int64_t value);
Real plausible(std::string_view place, double value);
Text plausible(std::string_view place, const std::string& value);

// Holds every field against that; what was computed on devices aside, which has bounds of its own.
void doubt_impossible(Snapshot& snapshot);

// "/nvidia/cuda_driver_version is impossible: -7", of the first field that failed so; empty: none did.
std::string impossible_value(const Snapshot& snapshot);

}  // namespace envdoctor
