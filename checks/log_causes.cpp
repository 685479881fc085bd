// What programs printed, taken as evidence: rows first, then what needs more than a row.
#include "checks/log_facts.h"

namespace envdoctor {
namespace {

bool applies(const LogRule& rule, const LogFacts& facts, const LogEvent& event) {
  if (rule.field && !field_of(event, rule.field).starts_with(rule.value)) return false;
  return !rule.when || rule.when(facts);
}

void apply(const LogRules& rules, const LogFacts& facts, Answers& answers) {
  for (const LogRule& rule : rules) {
    for (const LogEvent* event : facts.all(rule.event)) {
      if (!applies(rule, facts, *event)) continue;
      log_finding(answers, *event, rule.id, rule.sure);
      break;
    }
  }
}

void run(const Snapshot& snapshot, Answers& answers) { log_all(LogFacts(snapshot), answers); }

}  // namespace

void log_all(const LogFacts& facts, Answers& answers) {
  for (const LogRules* rules : {&log_driver_rules(), &log_kernel_rules(), &log_container_rules(), &log_runtime_rules(),
                                &log_opencl_rules(), &log_python_rules(), &log_usage_rules()}) {
    apply(*rules, facts, answers);
  }
  log_cuinit(facts, answers);
  log_driver_versions(facts, answers);
  log_libraries(facts, answers);
  log_memory(facts, answers);
  log_modules(facts, answers);
  log_xid(facts, answers);
}

Check log_causes() { return {.ids = {}, .run = run}; }

}  // namespace envdoctor
