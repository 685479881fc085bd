#pragma once
// Detects impossible values: from a driver that returns garbage, or from an edited file.
#include "evidence/snapshot.h"

namespace envdoctor {

// The value, or failed("impossible: …") if it is impossible at that JSON pointer of a snapshot.
Number plausible(std::string_view place, std::int64_t value);
Real plausible(std::string_view place, double value);
Text plausible(std::string_view place, const std::string& value);

// Checks every field so, except results of computations, which have bounds of their own.
void doubt_impossible(Snapshot& snapshot);

// "/nvidia/cuda_driver_version is impossible: -7", for the first field that failed so; empty: none did.
std::string impossible_value(const Snapshot& snapshot);

}  // namespace envdoctor
