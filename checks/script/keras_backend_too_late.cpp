// script.keras-backend-too-late: KERAS_BACKEND is set after Keras has read it.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_keras_backend_too_late {
Diagnosis diagnosis() {
  return {
      .id = "script.keras-backend-too-late",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "KERAS_BACKEND is set after Keras was imported",
      .claim = "Keras reads the variable once, when it is imported.",
      .proof = "Keras is imported above the line that sets the variable.",
      .disproof = "Keras is imported after the line that sets it.",
      .remedy = "Set KERAS_BACKEND before Keras is imported, or in the shell.",
      .judge = [](const Facts& facts, Answers& answers) { judge_late_variables(facts, answers, true); },
  };
}

}  // namespace envdoctor::script_keras_backend_too_late
