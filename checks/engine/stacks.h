#pragma once
// The layers from silicon to training, for each GPU and each stack that concerns it.
#include <vector>

#include "checks/engine/finding.h"
#include "checks/facts/gpus.h"

namespace envdoctor {

// From the snapshot's evidence, then from the findings: a layer without proof is broken where a warning or an
// error concerns it for this GPU and stack, otherwise unknown. A proved layer proves all layers below it.
std::vector<GpuStack> build_stacks(const Snapshot& snapshot, const std::vector<Gpu>& gpus,
                                   const std::vector<Finding>& findings);

// ok with the proof in `why`, not-applicable, or unknown. Never broken: that requires a finding.
LayerResult prove(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack, Layer layer);

// Whether a finding of this id breaks its layer: a slow link or a full memory doesn't.
bool breaks(std::string_view id);

// The stacks that an installed framework, as far as known, would use: "cuda", "rocm".
bool framework_wants(const Snapshot& snapshot, std::string_view stack);

// Whether a finding concerns this GPU in this stack.
bool concerns(const Finding& finding, const Gpu& gpu, std::string_view stack);

// Whether every layer up to and including `last` is ok or not applicable, and at least one above visibility is ok.
bool ok_through(const GpuStack& gpu_stack, Layer last);

}  // namespace envdoctor
