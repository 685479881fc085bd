#include "probe/probes.h"

namespace envdoctor {

void probe_opencl(Session&) {}

}  // namespace envdoctor
