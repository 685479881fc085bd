#include "checks/check.h"

namespace envdoctor {

#define ENVDOCTOR_CHECK(name) Check name();
#include "checks/roster.inc"
#undef ENVDOCTOR_CHECK

const std::vector<Check>& all_checks() {
  static const std::vector<Check> checks = {
#define ENVDOCTOR_CHECK(name) name(),
#include "checks/roster.inc"
#undef ENVDOCTOR_CHECK
  };
  return checks;
}

}  // namespace envdoctor
