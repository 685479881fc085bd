// The kernel's own log: read where this user may, and never missed where not.
#include "host/files/kernel_queries.h"
#include "probe/os/kernel_events.h"
#include "probe/probes.h"

namespace envdoctor {
namespace {

constexpr std::size_t file_limit = 16 << 20;
constexpr std::size_t tail = 1 << 20;

Reading<std::string> from_files(const Files& files, std::initializer_list<const char*> paths) {
  Reading<std::string> last = absent("no kernel log among the files");
  for (const char* path : paths) {
    auto text = files.read(path, file_limit);
    if (std::string* content = text.get()) {
      if (content->size() > tail) content->erase(0, content->size() - tail);
      return text;
    }
    if (text.outcome() == Outcome::failed) last = text;
  }
  return last;
}

Reading<std::string> kernel_log(const Host& host) {
  if (!host.live) return from_files(host.files, {"/dev/kmsg", "/var/log/dmesg", "/var/log/kern.log"});
  auto text = kernel_messages();
  if (text.get()) return text;
  auto file = from_files(host.files, {"/var/log/dmesg", "/var/log/kern.log"});
  return file.get() ? file : text;
}

}  // namespace

void probe_kernel_log(Session& session) {
  const auto text = kernel_log(session.host);
  if (!text.get()) {
    ProbeStatus status{.status = std::string("failed")};
    status.error = ProbeError{.kind = std::string(text.outcome() == Outcome::absent ? "missing" : "denied"),
                              .message = text.why()};
    session.record("kernel-log", status);
    return;
  }
  KernelEvents events = parse_kernel_log(*text.get());
  Snapshot part;
  part.log = std::move(events.events);
  part.nvidia.fill().xid = std::move(events.xid);
  session.add(part);
}

}  // namespace envdoctor
