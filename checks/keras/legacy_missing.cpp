// keras.legacy-missing: a program needs Keras 2, but its package is not installed.
#include "checks/engine/rule.h"
#include "checks/keras/keras_facts.h"
#include "checks/python/package_facts.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::keras_legacy_missing {

using enum SymptomClass;

// TF_USE_LEGACY_KERAS makes tf.keras look for the package tf-keras, from the first TensorFlow on that installs Keras 3.
void judge(const Snapshot& snapshot, Answers& answers) {
  const Text variable = env_of(snapshot, "TF_USE_LEGACY_KERAS");
  const Text version = of(snapshot.tensorflow, &Tensorflow::version);
  if (!legacy_keras_asked(snapshot)) return answers.not_applicable("TF_USE_LEGACY_KERAS is not set");
  if (!version.get()) return answers.not_applicable("TensorFlow was not looked at");
  const auto needs = knowledge::tensorflow_needs(*version.get());
  if (!needs || needs->keras.empty())
    return answers.unknown("which Keras TensorFlow " + *version.get() + " installs is not recorded");
  const Flag there = package_installed(snapshot, "tf-keras");
  if (knowledge::major_of(needs->keras) == "2" || there.is(true)) return answers.passed();
  if (!there.get()) return answers.unknown(why_unknown("/python/packages", there));
  Finding& finding = answers.found_on("package:tf-keras");
  finding.explanation = "TF_USE_LEGACY_KERAS asks TensorFlow " + *version.get() +
                        " for Keras 2, which is in the package tf-keras, and that is not installed.";
  finding.evidence = {evidence("/env/TF_USE_LEGACY_KERAS", *variable.get()),
                      evidence("/python/packages", "tf-keras is not among them")};
  const std::string minor = knowledge::major_minor_of(*version.get());
  finding.fix = {{.text = "Install tf-keras in TensorFlow's version, or unset the variable.",
                  .command = pip_install(snapshot, "\"tf-keras~=" + minor + ".0\"")}};
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "keras.legacy-missing",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "Old Keras code needs the package tf_keras",
      .claim = "Keras 3 is installed, and the code asks for Keras 2 through TensorFlow.",
      .proof = "The import asks for tf_keras, or says that Keras 3 isn't supported.",
      .disproof = "tf_keras is installed, or nothing asks for it.",
      .remedy = "Install tf_keras in TensorFlow's version, or move the code to Keras 3.",
      .explains = {"python.broken-install", "keras.backend-mismatch", "python.wrong-environment"},
      .symptoms =
          {
              {{missing, "keras-2"}, certain},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::keras_legacy_missing
