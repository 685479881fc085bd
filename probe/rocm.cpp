#include "probe/kfd.h"
#include "probe/probes.h"

namespace envdoctor {

void probe_rocm(Session& session) {
  Snapshot part;
  part.rocm = read_kfd(session.host.files);
  session.add(part);
}

}  // namespace envdoctor
