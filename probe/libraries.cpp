#include "probe/probes.h"

namespace envdoctor {

void probe_libraries(Session&) {}

}  // namespace envdoctor
