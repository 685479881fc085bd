// script.removed-call: the call or its import raises.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_removed_call {
Diagnosis diagnosis() {
  return {
      .id = "script.removed-call",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script uses what newer releases no longer have",
      .claim = "The call or its import raises.",
      .proof = "The name, and the release that is installed or the newest that was tried.",
      .disproof = "The script runs under a release that still has it.",
      .remedy = "Write what took its place.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_removed_call
