#include "probe/probes.h"

namespace envdoctor {

void probe_host(Session&) {}

}  // namespace envdoctor
