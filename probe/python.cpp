#include "probe/probes.h"

namespace envdoctor {

void probe_python(Session&) {}

}  // namespace envdoctor
