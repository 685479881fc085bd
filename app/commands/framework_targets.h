#pragma once
// The devices that the frameworks of the chosen Python list, as targets for the reference kernels.
#include <string>
#include <vector>

#include "app/commands/kernel_runs.h"
#include "evidence/snapshot.h"
#include "kernels/devices/device.h"

namespace envdoctor {

// "tensorflow", "torch", "jax".
const std::vector<std::string>& framework_names();

// One target for each device that a framework listed when it was asked, GPUs first: subject "framework:torch/cuda:0".
// One that is missing or doesn't start is a row of `not_run` instead. `only`: that framework alone; empty: all that are
// installed. The snapshot must not be redacted yet.
struct FrameworkTargets {
  std::vector<kernels::Target> targets{};
  std::vector<ComputeNotRun> not_run{};
};
FrameworkTargets framework_targets(const Snapshot& snapshot, const std::string& only);

// The option --framework [NAME].
void declare_framework(Arguments& arguments, VerifyWishes& wishes);

// Gathers what `work` needs of this host, with --framework through its frameworks, does it on the devices that are wanted,
// writes the report and answers the exit status.
int run_on_devices(const Options& options, const kernels::VerifyOptions& how, const ComputeWork& work);

// Gathers the Python environment, asks its frameworks for their devices, and does `work` on those that are wanted.
Snapshot compute_frameworks(const Options& options, kernels::VerifyOptions how, Insist insist, const ComputeWork& work);

}  // namespace envdoctor
