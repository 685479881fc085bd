// keras.version-mismatch: TensorFlow asks for another Keras than the installed one, by its metadata, by pip's list of
// conflicts, or by an import that fails.
#include "checks/engine/rule.h"
#include "checks/python/package_facts.h"

namespace envdoctor::keras_version_mismatch {

using enum SymptomClass;

// Keras is loaded late: an import that went well says nothing of it.
void judge_metadata(const Facts& facts, Answers& answers) {
  judge_requirements(facts, {"keras", "tf-keras"}, "TensorFlow's own Keras code does not work with it.", answers);
  const bool failed_later = of(facts.snapshot().tensorflow, &Tensorflow::training_error).get() != nullptr;
  const bool trained = of(facts.snapshot().tensorflow, &Tensorflow::training_on).get() != nullptr;
  for (Finding& finding : answers.findings) {
    if (finding.id != answers.id) continue;
    const bool certain = failed_later || finding.confidence == Confidence::certain;
    finding.severity = trained ? Severity::warning : Severity::error;
    finding.confidence = certain ? Confidence::certain : Confidence::likely;
  }
}

// pip lists many conflicts that do no harm: one about Keras counts where Keras itself failed.
void judge_conflicts(const Facts& facts, Answers& answers) {
  const bool failed = facts.saw({{mismatch, "keras-layer-class"}, {mismatch, "keras-version"}});
  for (const Requirement& need : requirements(facts)) {
    const bool of_keras = need.by.starts_with("tf-keras") || need.by.starts_with("tf_keras") ||
                          (failed && need.name.starts_with("keras"));
    if (!need.symptom || !of_keras) continue;
    answers.found_in(*need.symptom, Confidence::possible);
    return;
  }
}

void judge(const Facts& facts, Answers& answers) {
  judge_metadata(facts, answers);
  judge_conflicts(facts, answers);
  report_missing_module(facts, answers);
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "keras.version-mismatch",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The versions of Keras and TensorFlow are incompatible",
      .claim = "The installed Keras version belongs to another TensorFlow version.",
      .proof = "The import fails on a name that the other package's version doesn't have, or pip says so.",
      .disproof = "The pair is one that was released together.",
      .remedy = "Install the Keras version that belongs to this TensorFlow.",
      .explains = {"python.broken-install", "keras.mixed-keras"},
      .symptoms =
          {
              {{mismatch, "keras-version"}, likely},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::keras_version_mismatch
