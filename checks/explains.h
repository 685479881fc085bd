#pragma once
// Which diagnosis explains which: the table that roots are computed from.
#include <vector>

#include "checks/finding.h"

namespace envdoctor {

struct Explains {
  const char* cause;
  std::vector<const char*> consequences;
};

const std::vector<Explains>& explains_table();

// Sets `root` and `caused_by` of every finding. A cause explains a consequence if the table says so and both concern
// the same thing: equal subjects, or one of them speaks of more than a single device.
void find_roots(std::vector<Finding>& findings);

}  // namespace envdoctor
