#pragma once
// The ladder from silicon to training, for each GPU and each stack that concerns it.
#include <vector>

#include "checks/finding.h"
#include "checks/gpus.h"

namespace envdoctor {

// From the snapshot's own evidence, then from the findings: a rung that nothing proves is broken where a warning or an
// error stands on it for this GPU and stack, else unknown. A proved rung holds all below it.
std::vector<Ladder> build_ladders(const Snapshot& snapshot, const std::vector<Gpu>& gpus, const std::vector<Finding>& findings);

// Whether a finding speaks of this GPU in this stack.
bool concerns(const Finding& finding, const Gpu& gpu, std::string_view stack);

// Whether every rung up to and including `last` holds or doesn't apply, and at least one above visibility holds.
bool holds_through(const Ladder& ladder, Rung last);

}  // namespace envdoctor
