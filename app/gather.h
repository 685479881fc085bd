#pragma once
#include "app/options.h"
#include "evidence/snapshot.h"

namespace envdoctor {

// The evidence of this machine, with progress on standard error where that is a terminal.
Snapshot gather_here(const Options& options);

}  // namespace envdoctor
