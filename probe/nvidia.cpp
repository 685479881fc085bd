#include "probe/probes.h"

namespace envdoctor {

void probe_nvidia(Session&) {}

}  // namespace envdoctor
