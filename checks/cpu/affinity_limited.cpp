// cpu.affinity-limited: the CPUs left to this process are too few to feed its GPUs.
#include "checks/cpu/cpu_need.h"
#include "checks/engine/rule.h"

namespace envdoctor::cpu_affinity_limited {

using enum SymptomClass;

// A report shows a process's mask but not the number of CPUs; no machine with a GPU has that few.
void report_few_cpus(const Snapshot& snapshot, std::int64_t allowed, Answers& answers) {
  Finding& finding = answers.found();
  // Several processes that share one CPU were bound by something.
  const Symptom* bound = first_symptom(snapshot, {{limited, "cpu-affinity"}});
  constexpr int several = 3;
  const bool many = bound != nullptr && std::atoi(bound->detail("count").c_str()) >= several;
  finding.confidence = many ? Confidence::likely : Confidence::possible;
  for (const char* name : {"OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY", "OMP_PLACES"}) {
    const Text value = env_of(snapshot, name);
    if (!value.get()) continue;
    finding.confidence = Confidence::likely;
    finding.evidence.push_back(evidence(std::string("/env/") + name, *value.get()));
  }
  finding.explanation = fmt::format("This process may run on {} hardware thread{} only; all its workers share {}.",
                                    allowed, allowed == 1 ? "" : "s", allowed == 1 ? "it" : "them");
  finding.evidence.push_back(evidence("/cpu/allowed_cpus", std::to_string(allowed)));
  finding.fix = {{.text = "See what binds it: taskset, numactl, Slurm's --cpus-per-task, or a variable that binds "
                          "threads (OMP_PROC_BIND, GOMP_CPU_AFFINITY, KMP_AFFINITY)."}};
}

// GNU's OpenMP binds the thread that loads it to the first CPU of its list, and loader workers inherit that.
bool judge_openmp_list(const Snapshot& snapshot, Answers& answers) {
  const Text list = env_of(snapshot, "GOMP_CPU_AFFINITY");
  if (!list.get() || !snapshot.torch.get()) return false;
  Finding& finding = answers.found();
  finding.confidence = Confidence::possible;
  finding.explanation =
      "GOMP_CPU_AFFINITY makes libgomp, which PyTorch loads, bind the main thread to the first CPU of the list; loader "
      "workers that are started afterwards inherit that one CPU.";
  finding.evidence = {evidence("/env/GOMP_CPU_AFFINITY", *list.get())};
  finding.fix = {{.text = "Start the program without the variable; taskset or numactl bind all threads to the list."}};
  return true;
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const double need = cpu::needed(snapshot);
  const Number allowed = of(snapshot.cpu, &Cpu::allowed_cpus), threads = of(snapshot.cpu, &Cpu::threads);
  if (allowed.value_or(2) > 1 && judge_openmp_list(snapshot, answers)) return;
  if (!allowed.get()) return answers.unknown(why_unknown("/cpu/allowed_cpus", allowed));
  constexpr std::int64_t one_core = 2;  // hardware threads
  if (!threads.get() && from_report(snapshot) && *allowed.get() <= one_core)
    return report_few_cpus(snapshot, *allowed.get(), answers);
  if (!threads.get()) return answers.unknown(why_unknown("/cpu/threads", threads));
  constexpr std::int64_t many = 16;  // no machine with so many gives a process one core by chance
  const bool enough = static_cast<double>(*allowed.get()) >= need || *allowed.get() >= *threads.get();
  if (enough && from_report(snapshot) && *allowed.get() <= one_core && *threads.get() >= many)
    return report_few_cpus(snapshot, *allowed.get(), answers);
  if (enough) return answers.passed();
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

// A program starts far more workers than it may use CPUs, but no more than the machine has: it counted those.
void judge_workers(const Facts& facts, Answers& answers) {
  const Number allowed = of(facts.snapshot().cpu, &Cpu::allowed_cpus),
               threads = of(facts.snapshot().cpu, &Cpu::threads);
  if (!allowed.get() || !threads.get() || *allowed.get() >= *threads.get() || !answers.findings.empty()) return;
  for (const Symptom* line : facts.all({noted, "worker-count"})) {
    const std::int64_t workers = std::atoll(line->detail("count").c_str());
    if (workers * 2 < *allowed.get() * 3 || workers > *threads.get()) continue;
    Finding& finding = answers.found_in(*line, Confidence::likely);
    finding.explanation = fmt::format("{} workers are started, and the process may run on {} of {} CPUs.", workers,
                                      *allowed.get(), *threads.get());
    finding.evidence.push_back(evidence("/cpu/allowed_cpus", std::to_string(*allowed.get())));
    finding.fix = {{.text = "Start as many workers as the process may use CPUs, or widen its CPU set (Slurm's "
                            "--cpus-per-task, --hint=multithread, taskset)."}};
    return;
  }
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
              helped_by("no-thread-binding"),
              {{exhausted, "cpu-cores"}, possible, cpu::bound_by_torch_count},
              {{limited, "cpu-affinity"}, possible},
              {{limited, "cpus-near-gpu"}, possible},
          },
      .judge_host = judge,
      .judge = judge_workers,
  };
}

}  // namespace envdoctor::cpu_affinity_limited
