// Processor, memory and topology: texts in this process, hwloc in a child.
#include "probe/cpu_info.h"
#include "probe/probes.h"
#include "probe/text.h"
#include "probe/topology.h"

namespace envdoctor {
namespace {

constexpr Limits limits{.time = Milliseconds(10'000), .memory_mib = 1024};
constexpr std::size_t cpuinfo_limit = 32 << 20;

// Affinity and cpuset together.
Number allowed_cpus(const Files& files) {
  return files.read("/proc/self/status").then([](const std::string& text) -> Number {
    constexpr std::string_view key = "Cpus_allowed_list:";
    for (const auto line : lines_of(text)) {
      if (!line.starts_with(key)) continue;
      return cpu_list(line.substr(key.size())).then([](const std::vector<std::int64_t>& cpus) {
        return static_cast<std::int64_t>(cpus.size());
      });
    }
    return failed("/proc/self/status: no Cpus_allowed_list");
  });
}

void add_counts(Session& session, const Reading<std::string>& cpuinfo) {
  Snapshot part;
  part.cpu = count_cpus(session.host.files, cpuinfo);
  session.add(part);
}

// Once everything has run, so that the list of GPUs is there.
void add_gpu_paths(Session& session) {
  Snapshot part;
  part.topology.fill().gpus = gpu_paths(session.host.files, session.so_far().pci);
  session.add(part);
}

}  // namespace

void probe_cpu(Session& session) {
  const Files& files = session.host.files;
  const auto cpuinfo = files.read("/proc/cpuinfo", cpuinfo_limit);
  Snapshot part;
  if (cpuinfo.get()) {
    part.cpu = parse_cpuinfo(*cpuinfo.get());
  } else {
    part.cpu.fill().model = cpuinfo.missing();
    part.cpu.fill().isa = cpuinfo.missing();
  }
  part.cpu.fill().allowed_cpus = allowed_cpus(files);
  part.memory = files.read("/proc/meminfo").then(parse_meminfo);
  session.add(part);
  // Without these files hwloc makes one processor up.
  const bool hwloc_can_see = files.status("/sys/devices/system/cpu/cpu0/topology").get() != nullptr;
  if (!hwloc_can_see) add_counts(session, cpuinfo);
  session.apart(
      "cpu", "", limits,
      [root = files.root(), hwloc_can_see](const Channel&) {
        return hwloc_can_see ? read_with_hwloc(root) : Snapshot{};
      },
      [&session, cpuinfo](const Ended&, const Snapshot& answer) {
        if (!answer.cpu.get()) add_counts(session, cpuinfo);
        add_gpu_paths(session);
      });
}

}  // namespace envdoctor
