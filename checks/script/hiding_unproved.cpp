// script.hiding-unproved: list_physical_devices lists GPUs that set_visible_devices hides.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_hiding_unproved {
Diagnosis diagnosis() {
  return {
      .id = "script.hiding-unproved",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script asks for hidden GPUs where they are always listed",
      .claim = "list_physical_devices lists GPUs that set_visible_devices hides.",
      .proof = "The call stands after the one that hides.",
      .disproof = "The script asks get_visible_devices or list_logical_devices.",
      .remedy = "Ask tf.config.get_visible_devices.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_hiding_unproved
