// cpu.cgroup-limited, cpu.affinity-limited: the processor time or the CPUs left to this process are too few to feed its
// GPUs.
#include <algorithm>
#include <cstdio>

#include "checks/facts.h"
#include "checks/presence.h"

namespace envdoctor {
namespace {

constexpr const char* quota_id = "cpu.cgroup-limited";
constexpr const char* affinity_id = "cpu.affinity-limited";
constexpr double cpus_per_gpu = 2;               // one to drive it, one to load data
constexpr std::int64_t least_memory_mib = 4096;  // a framework alone, with its libraries, takes 2 to 3 GiB

// The GPUs that this job was given; at least one, so that a host without any is measured too.
double gpus_to_feed(const Snapshot& snapshot) {
  const auto gpus = gpus_of(snapshot);
  return static_cast<double>(std::max<std::ptrdiff_t>(
      1, std::ranges::count_if(gpus, [](const Gpu& g) { return g.granted && !g.integrated; })));
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// A limit matters where there is something to feed; elsewhere it is told and no more.
Severity weigh(const Snapshot& snapshot) { return has_any_gpu(snapshot).is(true) ? Severity::warning : Severity::info; }

void judge_quota(const Snapshot& snapshot, double need, Answers& answers) {
  const auto cgroup = of(snapshot.host, &HostFacts::cgroup);
  if (cgroup.outcome() == Outcome::absent) return answers.not_applicable(quota_id, "no cgroup holds this process");
  if (!cgroup.get()) return answers.unknown(quota_id, why_unknown("/host/cgroup", cgroup));
  const Real& cpus = cgroup.get()->cpus;
  const Number& memory = cgroup.get()->memory_mib;
  const Number total = of(snapshot.memory, &Memory::total_mib);
  const bool few = cpus.get() && *cpus.get() < need &&
                   !of(snapshot.cpu, &Cpu::threads)
                        .then([&](std::int64_t n) { return static_cast<double>(n) <= *cpus.get(); })
                        .is(true);
  const bool little =
      memory.get() && *memory.get() < least_memory_mib && !(total.get() && *total.get() <= *memory.get());
  if (!few && !little) {
    if (cpus.outcome() == Outcome::failed || cpus.outcome() == Outcome::not_probed)
      return answers.unknown(quota_id, why_unknown("/host/cgroup/cpus", cpus));
    return answers.sound(quota_id);
  }
  Finding& finding = answers.found(quota_id);
  finding.severity = weigh(snapshot);
  finding.explanation = "This container may use";
  if (few) {
    finding.explanation += " " + number(*cpus.get()) + " CPUs for " + number(need / cpus_per_gpu) +
                           (need > cpus_per_gpu ? " GPUs" : " GPU");
    finding.evidence.push_back(seen("/host/cgroup/cpus", number(*cpus.get())));
  }
  if (little) {
    finding.explanation += std::string(few ? " and" : "") + " " + std::to_string(*memory.get()) + " MiB of memory";
    finding.evidence.push_back(seen("/host/cgroup/memory_mib", std::to_string(*memory.get())));
  }
  finding.explanation += "; loading data will hold the GPU up, or the job be ended for want of memory.";
  finding.fix = {{.text = "Raise the container's limits (docker run --cpus and --memory, or the pod's resources)."}};
}

void judge_affinity(const Snapshot& snapshot, double need, Answers& answers) {
  const Number allowed = of(snapshot.cpu, &Cpu::allowed_cpus), threads = of(snapshot.cpu, &Cpu::threads);
  if (!allowed.get()) return answers.unknown(affinity_id, why_unknown("/cpu/allowed_cpus", allowed));
  if (!threads.get()) return answers.unknown(affinity_id, why_unknown("/cpu/threads", threads));
  if (static_cast<double>(*allowed.get()) >= need || *allowed.get() >= *threads.get())
    return answers.sound(affinity_id);
  Finding& finding = answers.found(affinity_id);
  finding.severity = weigh(snapshot);
  finding.explanation = "This process may run on " + std::to_string(*allowed.get()) + " of " +
                        std::to_string(*threads.get()) + " CPUs; all workers share them.";
  finding.evidence = {seen("/cpu/allowed_cpus", std::to_string(*allowed.get())),
                      seen("/cpu/threads", std::to_string(*threads.get()))};
  const bool slurm = env_of(snapshot, "SLURM_JOB_ID").get() != nullptr;
  finding.fix = {{.text = slurm ? "Ask Slurm for more with --cpus-per-task."
                                : "Start the program with a wider CPU set; see what binds it (taskset, numactl, the "
                                  "container's cpuset)."}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  const double need = cpus_per_gpu * gpus_to_feed(snapshot);
  judge_quota(snapshot, need, answers);
  judge_affinity(snapshot, need, answers);
}

}  // namespace

Check cpu_limits() { return {{quota_id, affinity_id}, run}; }

}  // namespace envdoctor
