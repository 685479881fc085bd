// cpu.oversubscribed: a thread pool is set to start more threads than this process may use CPUs.
#include <cmath>
#include "checks/cpu/cpu_need.h"
#include "checks/engine/rule.h"

namespace envdoctor::cpu_oversubscribed {

using enum SymptomClass;

struct Pool {
  std::string path{};
  std::string who{};
  std::int64_t threads = 0;
};

std::vector<Pool> pools(const Snapshot& snapshot) {
  std::vector<Pool> all;
  for (const std::string name :
       {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "TF_NUM_INTRAOP_THREADS"}) {
    const std::int64_t threads = std::strtol(env_of(snapshot, name).or_empty().c_str(), nullptr, 10);
    if (threads > 0) all.push_back({"/env/" + name, name, threads});
  }
  const Number tensorflow = of(snapshot.tensorflow, &Tensorflow::intra_op_threads);
  const Number torch = of(snapshot.torch, &Torch::threads);
  if (tensorflow.get()) all.push_back({"/tensorflow/intra_op_threads", "TensorFlow", *tensorflow.get()});
  if (torch.get()) all.push_back({"/torch/threads", "PyTorch", *torch.get()});
  return all;
}

// A cgroup's quota counts like a CPU set.
Real usable_cpus(const Snapshot& snapshot) {
  const double quota = of(snapshot.host, &HostFacts::cgroup).or_empty().cpus.value_or(INFINITY);
  return of(snapshot.cpu, &Cpu::allowed_cpus).then([&](std::int64_t all) {
    return std::min(static_cast<double>(all), quota);
  });
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const Real cpus = usable_cpus(snapshot);
  const auto all = pools(snapshot);
  if (!cpus.get()) return answers.unknown(why_unknown("/cpu/allowed_cpus", cpus));
  if (all.empty() && !snapshot.env.get()) return answers.unknown(why_unknown("/env", snapshot.env));
  constexpr double too_many = 1.5;  // with fewer, scheduling costs almost nothing
  for (const Pool& pool : all) {
    if (static_cast<double>(pool.threads) <= *cpus.get() * too_many) continue;
    const std::string usable = std::to_string(static_cast<std::int64_t>(*cpus.get()));
    Finding& finding = answers.found_on(pool.path.starts_with("/env/") ? "env:" + pool.who : "host");
    finding.explanation = pool.who + " asks for " + std::to_string(pool.threads) + " threads; this process may use " +
                          usable + " CPUs, so they wait for each other.";
    finding.evidence = {evidence(pool.path, std::to_string(pool.threads)), evidence("/cpu/allowed_cpus", usable)};
    finding.fix = {
        {.text = "Set OMP_NUM_THREADS and the framework's thread counts to the CPUs that this process may use."}};
    return;
  }
  answers.passed();
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "cpu.oversubscribed",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "More threads run than there are CPUs",
      .claim = "Several thread pools together start more threads than this process may use CPUs.",
      .proof = "More workers or threads than usable CPUs, by the numbers that the library prints.",
      .disproof = "The number of threads fits the CPUs.",
      .remedy = "Set OMP_NUM_THREADS and the framework's thread counts to the share of each process.",
      .symptoms =
          {
              helped_by("fewer-threads"),
              {{exhausted, "cpu-cores"},
               possible,
               [](const Facts& facts) { return !cpu::bound_by_torch_count(facts); }},
              {{exhausted, "threads"}, likely},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::cpu_oversubscribed
