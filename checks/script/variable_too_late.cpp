// script.variable-too-late: a variable that is set after a framework has read it.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_variable_too_late {
Diagnosis diagnosis() {
  return {
      .id = "script.variable-too-late",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "A device variable is set after it was read",
      .claim = "CUDA and the frameworks read their variables once; setting them later has no effect.",
      .proof = "The import or call that reads the variable stands above the line that sets it.",
      .disproof = "Nothing before the line has read the variable.",
      .remedy = "Set it in the shell, or before the first use of the framework.",
      .judge =
          [](const Facts& facts, Answers& answers) {
            judge_late_variables(facts, answers, false);
            judge_calls(facts, answers);
          },
  };
}

}  // namespace envdoctor::script_variable_too_late
