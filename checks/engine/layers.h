#pragma once
// What the evidence alone proves of one layer.
#include "checks/engine/finding.h"
#include "checks/facts/gpus.h"

namespace envdoctor {

// holds with the proof in `why`, not-applicable, or unknown. Never broken: that takes a finding.
LayerResult prove(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack, Layer layer);

// Whether a finding of this id means that its layer doesn't carry: a slow link or a full memory breaks nothing.
bool breaks(std::string_view id);

// The stacks that an installed framework, as far as it is known, would use: "cuda", "rocm".
bool framework_wants(const Snapshot& snapshot, std::string_view stack);

}  // namespace envdoctor
