#pragma once
// The devices that the frameworks of the chosen Python list, as targets for the reference kernels.
#include "app/commands/kernel_runs.h"

namespace envdoctor {

// The option --framework [NAME].
void declare_framework(Arguments& arguments, VerifyWishes& wishes);

// Gathers what `work` needs of this host, with --framework through its frameworks, does it on the devices that are wanted,
// writes the report and answers the exit status.
int run_on_devices(const Options& options, const kernels::VerifyOptions& how, const ComputeWork& work);

}  // namespace envdoctor
