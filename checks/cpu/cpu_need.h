#pragma once
// The number of CPUs needed to feed this host's GPUs, and how severe it is to have fewer.
#include <algorithm>
#include <cstdlib>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"

namespace envdoctor::cpu {

constexpr double cpus_per_gpu = 2;  // one to drive it, one to load data

// For the GPUs that this job was given; for one GPU where there is none, so that such a host is judged too.
inline double needed(const Snapshot& snapshot) {
  const auto gpus = gpus_of(snapshot);
  return cpus_per_gpu * static_cast<double>(std::max<std::ptrdiff_t>(
                            1, std::ranges::count_if(gpus, [](const Gpu& g) { return g.granted && !g.integrated; })));
}

// A limit matters only where there is a GPU to feed; otherwise it is reported as information.
inline Severity severity_of_limit(const Snapshot& snapshot) {
  return has_any_gpu(snapshot).is(true) ? Severity::warning : Severity::info;
}

// torch warns that there are more workers than usable CPUs, and the machine has at least twice as many.
inline bool bound_by_torch_count(const Facts& facts) {
  const auto& all = facts.all({SymptomClass::exhausted, "cpu-cores"});
  const auto suggested = all.empty() ? 0 : std::atoll(all.front()->detail("suggested").c_str());
  return suggested > 0 && of(facts.snapshot().cpu, &Cpu::threads).or_empty() >= 2 * suggested;
}

}  // namespace envdoctor::cpu
