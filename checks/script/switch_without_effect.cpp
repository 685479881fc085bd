// script.switch-without-effect: another setting that the switch needs is missing.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_switch_without_effect {
Diagnosis diagnosis() {
  return {
      .id = "script.switch-without-effect",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script sets a switch that has no effect here",
      .claim = "Another setting that the switch needs is missing.",
      .proof = "Both stand, or don't stand, in the script.",
      .disproof = "The other setting is made elsewhere.",
      .remedy = "Make the other setting as well.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_switch_without_effect
