// script.keras-mixed: keras and tensorflow.keras in one script.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::script_keras_mixed {

bool imports(const ScriptEvent& event, const std::string& package) {
  return event.kind == "import" && (event.name + ".").starts_with(package + ".");
}

void judge(const Facts& facts, Answers& answers) {
  judge_script(facts, answers, [&](const std::vector<ScriptEvent>& events) {
    const auto own = std::ranges::find_if(events, [](const auto& event) { return imports(event, "keras"); });
    const auto of_tensorflow =
        std::ranges::find_if(events, [](const auto& event) { return imports(event, "tensorflow.keras"); });
    if (own == events.end() || of_tensorflow == events.end()) return;
    const Text tensorflow = version_for_script(facts.snapshot(), "tensorflow");
    const Text keras = version_for_script(facts.snapshot(), "keras");
    Finding& finding = found_in_script(answers, *own,
                                       "keras and tensorflow.keras are both used. Unless both are one package, their "
                                       "layers and models cannot be mixed.",
                                       "Import Keras from one place: import keras.");
    finding.evidence.push_back(evidence(*of_tensorflow->event, of_tensorflow->name));
    finding.confidence = Confidence::possible;
    finding.severity = Severity::info;
    if (!tensorflow.get() || !keras.get()) return;
    const bool one_package = knowledge::keras_of_tensorflow(*tensorflow.get()) == knowledge::major_of(*keras.get());
    if (!one_package) finding.severity = Severity::warning;
    finding.explanation +=
        " Here they are keras " + *keras.get() + " and that of TensorFlow " + *tensorflow.get() +
        (one_package ? ": one package." : ": by their versions two. tf.keras.__version__ tells whether they are.");
  });
}

Diagnosis diagnosis() {
  return {
      .id = "script.keras-mixed",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script imports Keras from two places",
      .claim = "Where keras and tensorflow.keras are two packages, their objects cannot be mixed.",
      .proof = "Both imports stand in the script, and the installed versions make them two packages.",
      .disproof = "Both are the same package.",
      .remedy = "Import Keras from one place.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_keras_mixed
