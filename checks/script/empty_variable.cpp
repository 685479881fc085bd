// script.empty-variable: CUDA_VISIBLE_DEVICES is set to an empty text.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_empty_variable {

void judge(const Facts& facts, Answers& answers) {
  judge_events(facts, answers, [&](const ScriptEvent& event) {
    if (chooses_cuda_devices(event) && event.has_value && event.value.empty())
      found_in_script(answers, event,
                      "CUDA_VISIBLE_DEVICES is set to an empty text. CUDA then shows no GPU, but programs that test "
                      "whether the variable is set may take an empty one as not set.",
                      "Write '-1', which every program takes as no GPU.");
  });
}

Diagnosis diagnosis() {
  return {
      .id = "script.empty-variable",
      .layer = Layer::use,
      .severity = Severity::info,
      .title = "The script hides GPUs with an empty variable",
      .claim = "CUDA takes an empty CUDA_VISIBLE_DEVICES as no GPU; some programs take it as not set.",
      .proof = "The script sets the variable to an empty text.",
      .disproof = "Every program that reads it takes an empty text as no GPU.",
      .remedy = "Write '-1'.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_empty_variable
