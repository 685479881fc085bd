#pragma once
// The build of a framework that fits this driver, GPU and Python: the exact fix where one of them is the cause.
#include <optional>
#include <string>

#include "checks/engine/finding.h"
#include "evidence/snapshot.h"
#include "knowledge/frameworks/fitting_builds.h"

namespace envdoctor {

// "torch", "tensorflow", "jax" or "vllm". Nothing: no requirement is known, or no recorded build fits.
// `python_alone`: the version of Python is the cause, so nothing else needs to be known. `stated`: what a program's own
// message says of driver and GPU, where the host doesn't say it.
std::optional<Fix> fitting_build(const Snapshot& snapshot, const std::string& framework, bool python_alone = false,
                                 const knowledge::BuildNeeds& stated = {});

// The GPU build of "torch", "tensorflow" or "jax" that takes the place of its CPU-only build: of the installed release
// where one fits, else the newest. Nothing: the GPUs are not known, or are none of NVIDIA's.
std::optional<Fix> gpu_build(const Snapshot& snapshot, const std::string& framework);

// The same for vLLM instead if the text or the environment mentions it: it pins its PyTorch.
std::optional<Fix> fitting_build_in_use(const Snapshot& snapshot, const std::string& framework,
                                        const knowledge::BuildNeeds& stated = {});

// Which flash-attn fits this PyTorch, Python and GPU, or that none does. Nothing: unknown. `stated`: the compute
// capability of a GPU that is only mentioned.
std::optional<Fix> fitting_flash_attention(const Snapshot& snapshot, const std::string& stated = {});

}  // namespace envdoctor
