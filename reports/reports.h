#pragma once
// A report format: a pure function from a finished report to text.
#include <string>

#include "checks/report.h"

namespace envdoctor {

}  // namespace envdoctor
