#pragma once
// Reference kernels on this machine's devices, for the commands that run them.
#include "app/options/arguments.h"
#include "app/options/options.h"
#include "kernels/core/verify.h"
#include "kernels/devices/targets.h"

namespace envdoctor {

std::vector<std::string> kernel_names();
std::vector<std::string> timed_kernel_names();
// Throws UsageError for a name that isn't among the known ones.
void check_kernels(const std::vector<std::string>& names, const std::vector<std::string>& known);

// The options that say which problems, on which devices: --kernel, --device, --precision, --size, --seed.
void declare_problems(Arguments& arguments, VerifyWishes& wishes);

kernels::VerifyOptions verify_options(const Options& options);

// The selected devices of a snapshot of this machine: by a part of the subject, or "gpu", "cpu", "host"; none
// named: all. Throws UsageError, naming the devices there are, if a name fits none.
std::vector<kernels::Target> wanted_targets(const Snapshot& snapshot, const std::vector<std::string>& names);
// The same, for a list of devices.
std::vector<kernels::Target> wanted_of(const std::vector<kernels::Target>& all, const std::vector<std::string>& names);

// Runs the kernels and adds the results to the snapshot, after the rows that are known not to run. GPUs that others use
// are reported as busy and skipped. With Insist::no, GPUs whose use is unknown are skipped too; Insist::yes: the user
// named the devices.
enum class Insist { no, unless_busy, yes };
struct ComputeWork {
  Snapshot (*run)(const std::vector<kernels::Target>&, const kernels::VerifyOptions&) = kernels::verify;
  const char* command = "verify";
};
void add_compute(Snapshot& snapshot, const std::vector<kernels::Target>& targets, const kernels::VerifyOptions& options,
                 Insist insist, const ComputeWork& work = {});

// What check and capture gather: the evidence of this machine and, unless --quick, the short form of the kernels on
// devices that nobody else uses.
Snapshot gather_and_compute(const Options& options);

// The option --framework [NAME].
void declare_framework(Arguments& arguments, VerifyWishes& wishes);

// Gathers what `work` needs from this host (with --framework through its frameworks), runs it on the selected devices,
// writes the report and returns the exit status.
int run_on_devices(const Options& options, kernels::VerifyOptions how, const ComputeWork& work);

}  // namespace envdoctor
