#pragma once
// Which build of a framework would fit this driver, GPU and Python: the exact remedy where one of them is the cause.
#include <optional>
#include <string>

#include "checks/engine/finding.h"
#include "evidence/snapshot.h"

namespace envdoctor {

// "torch", "tensorflow", "jax" or "vllm". Nothing: nothing is known that a build would have to fit, or no recorded one fits.
// `python_alone`: the version of Python is the cause, so that it is enough to know.
std::optional<Fix> fitting_build(const Snapshot& snapshot, const std::string& framework, bool python_alone = false);

// The same of vLLM instead where the text or the environment speaks of it: it pins its PyTorch.
std::optional<Fix> fitting_build_in_use(const Snapshot& snapshot, const std::string& framework);

// Which flash-attn fits this PyTorch, Python and GPU, or that none does. Nothing: neither is known. `stated`: the compute
// capability of a GPU that is only spoken of.
std::optional<Fix> fitting_flash_attention(const Snapshot& snapshot, const std::string& stated = {});

}  // namespace envdoctor
