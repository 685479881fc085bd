// script.moved-too-late: state that the optimizer already holds stays on the old device.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_moved_too_late {
Diagnosis diagnosis() {
  return {
      .id = "script.moved-too-late",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script moves the model after its optimizer was made",
      .claim = "State that the optimizer holds by then stays on the old device.",
      .proof = "The optimizer takes the model's parameters above the line that moves it.",
      .disproof = "The optimizer holds no state yet.",
      .remedy = "Move the model first, then make the optimizer.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_moved_too_late
