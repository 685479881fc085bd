#pragma once
// The layers from silicon to training, for each GPU and each stack that concerns it.
#include <vector>

#include "checks/engine/finding.h"
#include "checks/facts/gpus.h"

namespace envdoctor {

// From the snapshot's own evidence, then from the findings: a layer that nothing proves is broken where a warning or an
// error stands on it for this GPU and stack, else unknown. A proved layer holds all below it.
std::vector<GpuStack> build_stacks(const Snapshot& snapshot, const std::vector<Gpu>& gpus, const std::vector<Finding>& findings);

// holds with the proof in `why`, not-applicable, or unknown. Never broken: that takes a finding.
LayerResult prove(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack, Layer layer);

// Whether a finding of this id means that its layer doesn't carry: a slow link or a full memory breaks nothing.
bool breaks(std::string_view id);

// The stacks that an installed framework, as far as it is known, would use: "cuda", "rocm".
bool framework_wants(const Snapshot& snapshot, std::string_view stack);

// Whether a finding speaks of this GPU in this stack.
bool concerns(const Finding& finding, const Gpu& gpu, std::string_view stack);

// Whether every layer up to and including `last` holds or doesn't apply, and at least one above visibility holds.
bool ok_through(const GpuStack& gpu_stack, Layer last);

}  // namespace envdoctor
