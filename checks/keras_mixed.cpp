// keras.mixed-keras, keras.image-data-format: what Keras is set to and what fits neither its packages nor the device.
#include "checks/check.h"
#include "checks/facts.h"
#include "checks/version_range.h"

namespace envdoctor {
namespace {

constexpr const char* mixed_id = "keras.mixed-keras";
constexpr const char* format_id = "keras.image-data-format";

bool set(const Text& variable) {
  return variable.get() && (*variable.get() == "1" || *variable.get() == "True" || *variable.get() == "true");
}

// With TF_USE_LEGACY_KERAS tf.keras is the package tf-keras, and `import keras` another Keras beside it.
void judge_mixed(const Snapshot& snapshot, Answers& answers) {
  if (!snapshot.keras.get()) return answers.not_applicable(mixed_id, "Keras was not looked at");
  const Text variable = env_of(snapshot, "TF_USE_LEGACY_KERAS");
  if (variable.outcome() != Outcome::absent && !variable.get())
    return answers.unknown(mixed_id, why_unknown("/env/TF_USE_LEGACY_KERAS", variable));
  const Text version = of(snapshot.keras, &Keras::version), legacy = of(snapshot.keras, &Keras::tf_keras_version);
  if (!set(variable)) return answers.sound(mixed_id);
  if (!version.get() || (!legacy.get() && legacy.outcome() != Outcome::absent))
    return answers.unknown(mixed_id, why_unknown("/keras/tf_keras_version", legacy));
  if (!legacy.get() || rule_for("keras", "chooses_backend", *version.get()).empty()) return answers.sound(mixed_id);
  Finding& finding = answers.found(mixed_id, "framework:keras");
  finding.severity = Severity::info;
  finding.confidence = Confidence::possible;
  finding.explanation = "TF_USE_LEGACY_KERAS makes tf.keras the package tf-keras " + *legacy.get() +
                        ", while 'import keras' gives Keras " + *version.get() +
                        ". Layers, models and optimizers of one are refused by the other.";
  finding.evidence = {seen("/env/TF_USE_LEGACY_KERAS", *variable.get()), seen("/keras/tf_keras_version", *legacy.get()),
                      seen("/keras/version", *version.get())};
  finding.fix = {{.text =
                      "Import Keras from one of them only: tf.keras or tf_keras, not keras, as long as the variable "
                      "is set."}};
}

// On the CPU TensorFlow computes with channels_first through oneDNN alone; without it convolutions and poolings raise.
void judge_format(const Snapshot& snapshot, Answers& answers) {
  const Keras* keras = snapshot.keras.get();
  if (!keras) return answers.not_applicable(format_id, "Keras was not looked at");
  const Text& format = keras->image_data_format;
  if (format.outcome() == Outcome::absent) return answers.sound(format_id);
  if (!format.get()) return answers.unknown(format_id, why_unknown("/keras/image_data_format", format));
  if (!format.is("channels_first")) return answers.sound(format_id);
  const Text& backend = keras->backend.get() ? keras->backend : keras->config_backend;
  if (backend.get() && !backend.is("tensorflow")) return answers.sound(format_id);
  const Number gpus = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (!backend.get()) return answers.unknown(format_id, why_unknown("/keras/backend", backend));
  if (!gpus.get()) return answers.unknown(format_id, why_unknown("/tensorflow/physical_gpus", gpus));
  if (*gpus.get() > 0) return answers.sound(format_id);
  const Flag onednn = of(snapshot.tensorflow, &Tensorflow::onednn);
  if (!onednn.get()) return answers.unknown(format_id, why_unknown("/tensorflow/onednn", onednn));
  if (onednn.is(true)) return answers.sound(format_id);
  Finding& finding = answers.found(format_id, "framework:keras");
  finding.confidence = Confidence::certain;
  finding.explanation =
      "keras.json asks for channels_first. TensorFlow lists no GPU and oneDNN is off, and without "
      "both its convolutions and poolings take channels_last only: training raises.";
  finding.evidence = {seen("/keras/image_data_format", "channels_first"), seen("/tensorflow/physical_gpus", "0"),
                      seen("/tensorflow/onednn", "false")};
  finding.fix = {{.text = "Set \"image_data_format\": \"channels_last\" in keras.json, or leave oneDNN on "
                          "(TF_ENABLE_ONEDNN_OPTS=1)."}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  judge_mixed(snapshot, answers);
  judge_format(snapshot, answers);
}

}  // namespace

Check keras_mixed() { return {{mixed_id, format_id}, run}; }

}  // namespace envdoctor
