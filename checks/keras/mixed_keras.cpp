// keras.mixed-keras: tf.keras and keras are two packages, and each refuses the other's objects.
#include "checks/engine/rule.h"
#include "checks/facts/version_range.h"
#include "checks/keras/keras_facts.h"

namespace envdoctor::keras_mixed_keras {

using enum SymptomClass;

// With TF_USE_LEGACY_KERAS tf.keras is the package tf-keras, and `import keras` another Keras.
void judge(const Snapshot& snapshot, Answers& answers) {
  if (!snapshot.keras.get()) return answers.not_applicable("Keras was not looked at");
  const Text variable = env_of(snapshot, "TF_USE_LEGACY_KERAS");
  if (variable.outcome() != Outcome::absent && !variable.get())
    return answers.unknown(why_unknown("/env/TF_USE_LEGACY_KERAS", variable));
  const Text version = of(snapshot.keras, &Keras::version), legacy = of(snapshot.keras, &Keras::tf_keras_version);
  if (!legacy_keras_asked(snapshot)) return answers.passed();
  if (!version.get() || (!legacy.get() && legacy.outcome() != Outcome::absent))
    return answers.unknown(why_unknown("/keras/tf_keras_version", legacy));
  if (!legacy.get() || rule_for("keras", "chooses_backend", *version.get()).empty()) return answers.passed();
  Finding& finding = answers.found_on("framework:keras");
  finding.severity = Severity::info;
  finding.confidence = Confidence::possible;
  finding.explanation = "TF_USE_LEGACY_KERAS makes tf.keras the package tf-keras " + *legacy.get() +
                        ", while 'import keras' gives Keras " + *version.get() +
                        ". Layers, models and optimizers of one are refused by the other.";
  finding.evidence = {evidence("/env/TF_USE_LEGACY_KERAS", *variable.get()),
                      evidence("/keras/tf_keras_version", *legacy.get()), evidence("/keras/version", *version.get())};
  finding.fix = {{.text =
                      "Import Keras from one of them only: tf.keras or tf_keras, not keras, as long as the variable "
                      "is set."}};
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "keras.mixed-keras",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "Objects of two Keras packages are mixed",
      .claim = "keras and tensorflow.keras are both imported and their objects don't work together.",
      .proof = "The error names objects of two Keras packages.",
      .disproof = "All Keras objects come from one package.",
      .remedy = "Import Keras from one place only.",
      .symptoms =
          {
              {{mismatch, "keras-layer-class"}, likely},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::keras_mixed_keras
