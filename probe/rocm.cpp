#include "probe/hip.h"
#include "probe/kfd.h"
#include "probe/probes.h"

namespace envdoctor {

void probe_rocm(Session& session) {
  if (session.host.live) start_hip(session, hip::sonames(), {});
  session.add({.rocm = read_kfd(session.host.files)});
}

}  // namespace envdoctor
