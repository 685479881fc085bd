// script.build-is-not-use: calls that ask how the package was built.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_build_is_not_use {
Diagnosis diagnosis() {
  return {
      .id = "script.build-is-not-use",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script asks how the package was built, not whether the GPU is used",
      .claim = "is_built_with_cuda and its like are true on a machine without any GPU.",
      .proof = "The call stands in the script, and its answer decides about devices.",
      .disproof = "The script asks for devices, or where an operation ran.",
      .remedy = "Ask tf.config.list_physical_devices('GPU') or torch.cuda.is_available().",
      .judge =
          [](const Facts& facts, Answers& answers) {
            judge_calls(facts, answers);
            // If the answer is only printed, not used in a decision, it misleads: a note.
            judge_events(facts, answers, [&](const ScriptEvent& event) {
              for (Finding& finding : answers.findings) {
                if (event.kind == "call" && event.event->detail("decides").empty() && !finding.evidence.empty() &&
                    finding.evidence.front().line == event.event->line.value_or(0) &&
                    finding.evidence.front().source == event.event->source.value_or(""))
                  finding.severity = Severity::info;
              }
            });
          },
  };
}

}  // namespace envdoctor::script_build_is_not_use
