// What programs printed, taken as evidence: rows first, then what needs more than a row.
#include "checks/group_members.h"
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

std::vector<const LogRules*> all_log_rules() {
  return {&log_driver_rules(),     &log_kernel_rules(),  &log_container_rules(),
          &log_visibility_rules(), &log_runtime_rules(), &log_opencl_rules(),
          &log_python_rules(),     &log_usage_rules(),   &log_compute_rules()};
}

void log_all(const LogFacts& facts, Answers& answers) {
  const std::size_t before = answers.findings.size();
  for (const LogRules* rules : all_log_rules()) apply(*rules, facts, answers);
  log_compute(facts, answers);
  log_cpu(facts, answers);
  log_cuinit(facts, answers);
  log_driver_versions(facts, answers);
  log_kfd(facts, answers);
  log_libraries(facts, answers);
  log_memory(facts, answers);
  log_modules(facts, answers);
  log_placement(facts, answers);
  log_visibility(facts, answers);
  log_xid(facts, answers);
  for (std::size_t i = before; i < answers.findings.size(); ++i) tell_group(answers.findings[i], facts);
}

Check log_causes() { return {.ids = {}, .run = run}; }

}  // namespace envdoctor
