// script.out-of-memory-hides-placement: a handler that moves the work to the CPU and says nothing.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_out_of_memory_hides_placement {

void judge(const Facts& facts, Answers& answers) {
  judge_events(facts, answers, [&](const ScriptEvent& event) {
    if (event.kind != "handler") return;
    Finding& finding = found_in_script(answers, event,
                                       "a handler for " + event.name + " silently falls back to the CPU (" +
                                           event.value + "): from then on the program is slow, and nothing says why.",
                                       "Let the error end the program, or log the change of device loudly.");
    finding.confidence = Confidence::likely;
  });
}

Diagnosis diagnosis() {
  return {
      .id = "script.out-of-memory-hides-placement",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "A handler for out-of-memory errors silently falls back to the CPU",
      .claim = "After the first such error the program runs slowly on the CPU and reports nothing.",
      .proof = "The handler moves the work to the CPU and reports nothing.",
      .disproof = "The handler reports the change, or ends the program.",
      .remedy = "Let the error end the program, or log the change of device.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_out_of_memory_hides_placement
