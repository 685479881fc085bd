#pragma once
#include <string>
#include <vector>

#include "checks/expectations.h"

namespace envdoctor {

// What --expect was given, in order: KEY=VALUE, or a TOML file where one of that name exists or the name ends in .toml.
// Throws UsageError and BadExpectation.
Expectations expectations_named(const std::vector<std::string>& texts);

}  // namespace envdoctor
