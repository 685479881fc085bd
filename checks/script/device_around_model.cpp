// script.device-around-model: models that stay where they were created.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_device_around_model {

void judge(const Facts& facts, Answers& answers) {
  judge_events(facts, answers, [&](const ScriptEvent& event) {
    if (event.kind != "placed-call") return;
    const std::string made = event.event->detail("other_line");
    found_in_script(answers, event,
                    event.name + " stands under " + event.inside + ", but the model was made elsewhere" +
                        (made.empty() ? "" : " (line " + made + ")") +
                        ": its variables stay on the device where they were made, and the work follows them." +
                        (event.inside.find(".scope(") != std::string::npos
                             ? " Under a strategy's scope an optimizer with state, as Adam, raises."
                             : ""),
                    "Make or load the model under the same tf.device or strategy scope, or choose the device before "
                    "the program starts: envdoctor run --device cpu|gpu:N -- CMD.");
  });
  judge_calls(facts, answers);
}

Diagnosis diagnosis() {
  return {
      .id = "script.device-around-model",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "tf.device or a strategy stands around a model that was made elsewhere",
      .claim = "A model's variables stay on the device where they were made, and the work follows them.",
      .proof = "The model is made outside the block that uses it.",
      .disproof = "The model is made or loaded under the same tf.device.",
      .remedy = "Make or load the model under tf.device, or choose the device before the program starts.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_device_around_model
