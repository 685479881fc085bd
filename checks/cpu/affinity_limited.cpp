// cpu.affinity-limited: the CPUs left to this process are too few to feed its GPUs.
#include "checks/cpu/cpu_need.h"
#include "checks/engine/rule.h"

namespace envdoctor::cpu_affinity_limited {

using enum SymptomClass;

void judge(const Snapshot& snapshot, Answers& answers) {
  const double need = cpu::needed(snapshot);
  const Number allowed = of(snapshot.cpu, &Cpu::allowed_cpus), threads = of(snapshot.cpu, &Cpu::threads);
  if (!allowed.get()) return answers.unknown(why_unknown("/cpu/allowed_cpus", allowed));
  if (!threads.get()) return answers.unknown(why_unknown("/cpu/threads", threads));
  if (static_cast<double>(*allowed.get()) >= need || *allowed.get() >= *threads.get()) return answers.passed();
  Finding& finding = answers.found();
  finding.severity = cpu::severity_of_limit(snapshot);
  finding.explanation = "This process may run on " + std::to_string(*allowed.get()) + " of " +
                        std::to_string(*threads.get()) + " CPUs; all workers share them.";
  finding.evidence = {evidence("/cpu/allowed_cpus", std::to_string(*allowed.get())),
                      evidence("/cpu/threads", std::to_string(*threads.get()))};
  const bool slurm = env_of(snapshot, "SLURM_JOB_ID").get() != nullptr;
  finding.fix = {{.text = slurm ? "Ask Slurm for more with --cpus-per-task."
                                : "Start the program with a wider CPU set; see what binds it (taskset, numactl, the "
                                  "container's cpuset)."}};
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "cpu.affinity-limited",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "This process may use only a few of the CPU's threads",
      .claim = "The process is bound to fewer CPUs than the machine has, which slows data loading.",
      .proof = "The affinity mask holds far fewer CPUs than the machine has.",
      .disproof = "The process may run on all CPUs.",
      .remedy = "Start it with a wider CPU set (taskset, Slurm's --cpus-per-task).",
      .explains = {"cpu.oversubscribed"},
      .symptoms =
          {
              {{exhausted, "cpu-cores"}, possible, cpu::bound_by_torch_count},
              {{limited, "cpu-affinity"}, possible},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::cpu_affinity_limited
