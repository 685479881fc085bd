#pragma once
#include "app/options/options.h"
#include "host/host.h"

namespace envdoctor {

// Throws UsageError if --python names what isn't there.
void require_python(const Host& host, const Options& options);

// The evidence of this machine, with progress on standard error where that is a terminal.
// Runs only these probes, if any are named. With Launches::none no kernel is launched, because the command runs its own
enum class Launches { none, tiny };
Snapshot gather_here(const Options& options, const std::vector<std::string>& probes = {},
                     Launches launches = Launches::tiny);

void show_progress(const std::vector<std::string>& running);

}  // namespace envdoctor
