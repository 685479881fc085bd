#pragma once
// Whether the list in CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES is cut at an entry that names no device.
#include "checks/engine/rule.h"

namespace envdoctor::visibility {

// Answers for one of the two diagnoses: about entries that are UUIDs, or about all others.
void judge_cut(const Snapshot& snapshot, Answers& answers, bool uuids);

}  // namespace envdoctor::visibility
