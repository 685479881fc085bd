#pragma once
// Which finding is the cause of which: roots and consequences.
#include <vector>

#include "checks/engine/finding.h"

namespace envdoctor {

// Sets `root` and `caused_by` of every finding. A cause explains a consequence if its diagnosis lists that id and both
// concern the same thing: equal subjects, or one of them concerns more than a single device.
void find_roots(std::vector<Finding>& findings);

}  // namespace envdoctor
