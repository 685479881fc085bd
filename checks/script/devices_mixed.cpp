// script.devices-mixed: a model and its input, or two tensors, are on different devices.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_devices_mixed {
Diagnosis diagnosis() {
  return {
      .id = "script.devices-mixed",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script brings together what lies on two devices",
      .claim = "A model and its input, or two tensors, lie on different devices.",
      .proof = "Both devices follow from the script's own calls.",
      .disproof = "Both are moved to one device first.",
      .remedy = "Move both to one device, and take the result.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_devices_mixed
