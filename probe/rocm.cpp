#include "probe/probes.h"

namespace envdoctor {

void probe_rocm(Session&) {}

}  // namespace envdoctor
