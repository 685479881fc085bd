#pragma once
// Which build of a framework would fit this driver, GPU and Python: the exact remedy where one of them is the cause.
#include <optional>
#include <string>

#include "checks/engine/finding.h"
#include "evidence/snapshot.h"

namespace envdoctor {

// "torch", "tensorflow" or "jax". Nothing: nothing is known that a build would have to fit, or no recorded one fits.
// `python_alone`: the version of Python is the cause, so that it is enough to know.
std::optional<Fix> fitting_build(const Snapshot& snapshot, const std::string& framework, bool python_alone = false);

}  // namespace envdoctor
