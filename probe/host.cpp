// The host itself: which system, in what surroundings, and what this process may use of it.
#include "probe/cgroup.h"
#include "probe/os_facts.h"
#include "probe/probes.h"
#include "probe/process_limits.h"
#include "probe/surroundings.h"

namespace envdoctor {

void probe_host(Session& session) {
  const Host& host = session.host;
  const Files& files = host.files;
  const Text kernel = read_line(files, "/proc/sys/kernel/osrelease");
  Snapshot part;
  part.host = HostFacts{.platform = read_platform(files, kernel),
                        .os = read_os(files),
                        .kernel = kernel,
                        .arch = read_arch(host),
                        .container = read_container(host),
                        .virtualization = read_virtualization(files),
                        .secure_boot = read_secure_boot(files),
                        .user = files.read("/proc/self/status").then(parse_user),
                        .shm_mib = read_shm_mib(host),
                        .cgroup = read_cgroup(files),
                        .ulimits = files.read("/proc/self/limits").then(parse_ulimits)};
  session.add(part);
}

}  // namespace envdoctor
