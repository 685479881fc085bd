#pragma once
#include "app/options.h"

namespace envdoctor {

// Runs the command and returns the exit status of the contract: 0, 1, 2 or 3. Throws UsageError and BadDocument.
int run_command(const Options& options);

}  // namespace envdoctor
