// Models that stay where they were made, two kinds of Keras, and handlers that go on on the CPU without a word.
#include "checks/script_facts.h"
#include "knowledge/drivers.h"
#include "knowledge/script_calls.h"

namespace envdoctor {
namespace {

constexpr const char* around_id = "script.device-around-model";
constexpr const char* mixed_id = "script.keras-mixed";
constexpr const char* memory_id = "script.out-of-memory-hides-placement";
const std::vector<const char*> ids = {around_id, mixed_id, memory_id};

void judge_mix(const Snapshot& snapshot, Answers& answers, const std::vector<ScriptEvent>& events) {
  const ScriptEvent *own = nullptr, *of_tensorflow = nullptr;
  for (const ScriptEvent& event : events) {
    if (event.kind != "import") continue;
    if (!own && (event.name == "keras" || event.name.starts_with("keras."))) own = &event;
    if (!of_tensorflow && (event.name == "tensorflow.keras" || event.name.starts_with("tensorflow.keras.")))
      of_tensorflow = &event;
  }
  if (!own || !of_tensorflow) return answers.sound(mixed_id);
  const Text tensorflow = framework_version(snapshot, "tensorflow"), keras = framework_version(snapshot, "keras");
  Finding& finding = found_in_script(answers, mixed_id, *own,
                                     "keras and tensorflow.keras are both used. Unless both are one package, their "
                                     "layers and models don't go together.",
                                     "Import Keras from one place: import keras.");
  finding.evidence.push_back(seen(*of_tensorflow->event, of_tensorflow->name));
  finding.confidence = Confidence::possible;
  if (!tensorflow.get() || !keras.get()) return;
  const bool one_package = knowledge::keras_of_tensorflow(*tensorflow.get()) == knowledge::major_of(*keras.get());
  finding.confidence = Confidence::likely;
  finding.severity = one_package ? Severity::info : Severity::error;
  finding.explanation += " Here they are keras " + *keras.get() + " and that of TensorFlow " + *tensorflow.get() +
                         (one_package ? ": one package." : ": two.");
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (!have_script(snapshot, answers, ids)) return;
  const auto events = script_events(snapshot);
  for (const ScriptEvent& event : events) {
    if (event.kind == "placed-call") {
      const auto made = event.event->fields.find("other_line");
      found_in_script(answers, around_id, event,
                      event.name + " stands under " + event.inside + ", but the model was made elsewhere" +
                          (made == event.event->fields.end() ? "" : " (line " + made->second + ")") +
                          ": its variables stay on the device where they were made, and the work follows them.",
                      "Make or load the model under the same tf.device or strategy scope, or choose the device before "
                      "the program starts: envdoctor run --device cpu|gpu:N -- CMD.");
    }
    if (event.kind == "handler") {
      Finding& finding = found_in_script(answers, memory_id, event,
                                         "a handler for " + event.name + " goes on on the CPU (" + event.value +
                                             "): from then on the program is slow, and nothing says why.",
                                         "Let the error end the program, or log the change of device loudly.");
      finding.confidence = Confidence::likely;
    }
  }
  judge_mix(snapshot, answers, events);
  rest_is_sound(answers, ids);
}

}  // namespace

Check script_models() { return {.ids = ids, .run = run}; }

}  // namespace envdoctor
