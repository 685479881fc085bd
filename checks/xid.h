#pragma once
// Xids, the kernel module's numbered errors (knowledge/xid.json), as causes.
#include <cstdint>
#include <string>

#include "checks/finding.h"
#include "evidence/snapshot.h"

namespace envdoctor {

inline constexpr std::int64_t xid_off_the_bus = 79;

// The id of the diagnosis that a host has whose kernel logged this Xid; empty: nothing is concluded.
std::string xid_diagnosis(std::int64_t code);

// Writes what this Xid means into the finding made of it. One that only needs a reset isn't told as a GPU off the bus.
void tell_xid(Finding& finding, std::int64_t code, const Snapshot& snapshot);

}  // namespace envdoctor
