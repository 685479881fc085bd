// Threads and workers, by the words of the libraries that start them.
#include <cstdlib>

#include "checks/facts.h"
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

using enum Confidence;

// torch counts the CPUs that this process may use; the machine may have more.
void workers(const LogFacts& facts, const LogEvent& event, Answers& answers) {
  const auto suggested = std::atoll(field_of(event, "suggested").c_str());
  const Number threads = of(facts.snapshot().cpu, &Cpu::threads);
  const bool bound = suggested > 0 && threads.get() && *threads.get() >= 2 * suggested;
  log_finding(answers, event, bound ? "cpu.affinity-limited" : "cpu.oversubscribed", possible);
}

}  // namespace

void log_cpu(const LogFacts& facts, Answers& answers) {
  if (const auto& all = facts.all("too-many-workers"); !all.empty()) workers(facts, *all.front(), answers);
  if (const auto& all = facts.all("too-many-threads"); !all.empty())
    log_finding(answers, *all.front(), "cpu.oversubscribed", likely);
  if (const auto& all = facts.all("affinity-narrow"); !all.empty())
    log_finding(answers, *all.front(), "cpu.affinity-limited", possible);
}

}  // namespace envdoctor
