#include "checks/cpu/cpu_need.h"

#include <algorithm>
#include <cstdlib>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "checks/facts/presence.h"

namespace envdoctor::cpu {

double needed(const Snapshot& snapshot) {
  const auto gpus = gpus_of(snapshot);
  return cpus_per_gpu * static_cast<double>(std::max<std::ptrdiff_t>(
                            1, std::ranges::count_if(gpus, [](const Gpu& g) { return g.granted && !g.integrated; })));
}

Severity severity_of_limit(const Snapshot& snapshot) {
  return has_any_gpu(snapshot).is(true) ? Severity::warning : Severity::info;
}

bool bound_by_torch_count(const Facts& facts) {
  const auto& all = facts.all({SymptomClass::exhausted, "cpu-cores"});
  const auto suggested = all.empty() ? 0 : std::atoll(all.front()->detail("suggested").c_str());
  return suggested > 0 && of(facts.snapshot().cpu, &Cpu::threads).or_empty() >= 2 * suggested;
}

}  // namespace envdoctor::cpu
