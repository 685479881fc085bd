// script.keras-mixed: keras and tensorflow.keras in one script.
#include "checks/script/script_facts.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::script_keras_mixed {
namespace {

constexpr const char* id = "script.keras-mixed";

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (!have_script(snapshot, answers, id)) return;
  const auto events = script_events(snapshot);
  const ScriptEvent *own = nullptr, *of_tensorflow = nullptr;
  for (const ScriptEvent& event : events) {
    if (event.kind != "import") continue;
    if (!own && (event.name == "keras" || event.name.starts_with("keras."))) own = &event;
    if (!of_tensorflow && (event.name == "tensorflow.keras" || event.name.starts_with("tensorflow.keras.")))
      of_tensorflow = &event;
  }
  if (!own || !of_tensorflow) return answers.passed(id);
  const Text tensorflow = framework_version(snapshot, "tensorflow"), keras = framework_version(snapshot, "keras");
  Finding& finding = found_in_script(answers, id, *own,
                                     "keras and tensorflow.keras are both used. Unless both are one package, their "
                                     "layers and models cannot be mixed.",
                                     "Import Keras from one place: import keras.");
  finding.evidence.push_back(evidence(*of_tensorflow->event, of_tensorflow->name));
  finding.confidence = Confidence::possible;
  if (!tensorflow.get() || !keras.get()) return;
  const bool one_package = knowledge::keras_of_tensorflow(*tensorflow.get()) == knowledge::major_of(*keras.get());
  finding.confidence = Confidence::likely;
  finding.severity = one_package ? Severity::info : Severity::error;
  finding.explanation += " Here they are keras " + *keras.get() + " and that of TensorFlow " + *tensorflow.get() +
                         (one_package ? ": one package." : ": two.");
}

}  // namespace

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
