#include "probe/probes.h"

namespace envdoctor {

void probe_modules(Session&) {}

}  // namespace envdoctor
