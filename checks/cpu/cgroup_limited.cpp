// cpu.cgroup-limited: this process may use too little CPU time or memory to feed its GPUs.
#include <algorithm>

#include "checks/cpu/cpu_need.h"
#include "checks/engine/rule.h"
#include "checks/memory/memory_facts.h"

namespace envdoctor::cpu_cgroup_limited {

constexpr std::int64_t least_memory_mib = 4096;  // a framework with its libraries takes 2 to 3 GiB

void judge(const Snapshot& snapshot, Answers& answers) {
  const double need = cpu::needed(snapshot);
  const auto& cgroup = of(snapshot.host, &HostFacts::cgroup);
  if (cgroup.outcome() == Outcome::absent) return answers.not_applicable("no cgroup holds this process");
  if (!cgroup.get()) return answers.unknown(why_unknown("/host/cgroup", cgroup));
  const Real& cpus = cgroup.get()->cpus;
  const Number& memory = cgroup.get()->memory_mib;
  // The machine's own size is no limit of the cgroup.
  const auto threads = static_cast<double>(of(snapshot.cpu, &Cpu::threads).value_or(INT64_MAX));
  const auto total = of(snapshot.memory, &Memory::total_mib).value_or(INT64_MAX);
  // Programs size their pools by the machine's CPUs; a text that mentions both the quota and those is about that.
  const bool limit_reported = snapshot.sources.or_empty().contains("/host/cgroup/cpus");
  const bool half = limit_reported && cpus.get() && *cpus.get() * 2 <= threads && threads < INT32_MAX;
  const bool few = cpus.get() && ((*cpus.get() < need && *cpus.get() < threads) || half);
  const bool little = memory.get() && *memory.get() < least_memory_mib && *memory.get() < total;
  if (!few && !little) {
    if (cpus.outcome() == Outcome::failed || cpus.outcome() == Outcome::not_probed)
      return answers.unknown(why_unknown("/host/cgroup/cpus", cpus));
    return answers.passed();
  }
  Finding& finding = answers.found();
  finding.severity = half ? Severity::warning : cpu::severity_of_limit(snapshot);
  if (half && *cpus.get() >= need && !little) finding.confidence = Confidence::possible;
  finding.explanation = "This container may use";
  if (few) {
    finding.explanation += fmt::format(" {:g} CPUs for {:g} GPU{}", *cpus.get(), need / cpu::cpus_per_gpu,
                                       need > cpu::cpus_per_gpu ? "s" : "");
    if (half) finding.explanation += fmt::format(", while programs see {:g} and start as many threads", threads);
    finding.evidence.push_back(evidence("/host/cgroup/cpus", fmt::format("{:g}", *cpus.get())));
  }
  if (little) {
    finding.explanation += fmt::format("{} {} MiB of memory", few ? " and" : "", *memory.get());
    finding.evidence.push_back(evidence("/host/cgroup/memory_mib", std::to_string(*memory.get())));
  }
  finding.explanation += "; data loading will slow the GPU down, or the job may be killed for lack of memory.";
  finding.fix = {{.text = "Raise the container's limits (docker run --cpus and --memory, or the pod's resources)."}};
}

void judge_ended_process(const Facts& facts, Answers& answers) {
  const Symptom* line = memory::ended_at_limit(facts);
  if (!line) return;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  finding.severity = Severity::error;
  finding.title = "The job needs more memory than its limit allows";
  finding.explanation = "A process was ended at the memory limit of its container or job; the GPU's memory is another.";
  finding.fix = {{.text = memory::more_host_memory}};
}

Diagnosis diagnosis() {
  return {
      .id = "cpu.cgroup-limited",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The container may use only a little CPU time or memory",
      .claim = "The cgroup's limit is far below what the machine has.",
      .proof = "The control group's own limit, read from its files.",
      .disproof = "The cgroup sets no limit.",
      .remedy = "Raise the container's CPU or memory limit.",
      .explains = {"cpu.oversubscribed", "memory.out-of-memory"},
      .symptoms = {{{SymptomClass::limited, "cpu-time-of-cgroup"}, Confidence::likely}},
      .judge_host = judge,
      .judge = judge_ended_process,
  };
}

}  // namespace envdoctor::cpu_cgroup_limited
