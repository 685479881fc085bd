// keras.version-mismatch: TensorFlow needs another Keras than the installed one, by its metadata, by pip's list of
// conflicts, or by an import that fails.
#include <re2/re2.h>
#include "checks/engine/rule.h"
#include "checks/python/package_facts.h"
#include "knowledge/frameworks/device_calls.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::keras_version_mismatch {

using enum SymptomClass;

// Keras is loaded late: a successful import says nothing about it.
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

// pip lists many harmless conflicts: one about Keras counts only where Keras itself failed.
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

// The missing name in a line, if newer releases have removed it: no matching version of Keras has it.
const knowledge::ScriptCall* removed_in(const Symptom& line) {
  static const LazyRegex missed("(?:cannot import name|has no attribute|No module named) '?([A-Za-z0-9_.]+)",
                                RE2::Latin1);
  std::string name;
  if (!RE2::PartialMatch(line.text.or_empty(), missed, &name)) return nullptr;
  for (const knowledge::ScriptCall& row : knowledge::script_calls()) {
    if (row.removed && (row.call == name || row.call.ends_with("." + name))) return &row;
  }
  return nullptr;
}

bool nothing_removed(const Facts& facts) {
  const auto& lines = facts.all({mismatch, "keras-version"});
  return std::ranges::none_of(lines, [](const Symptom* line) { return removed_in(*line) != nullptr; });
}

void judge_removed(const Facts& facts, Answers& answers) {
  for (const Symptom* line : facts.all({mismatch, "keras-version"})) {
    const knowledge::ScriptCall* row = removed_in(*line);
    if (!row) continue;
    Finding& finding = answers.found_in(*line, Confidence::likely);
    finding.explanation = row->call + " " + row->says + ".";
    finding.fix = {{.text = row->instead +
                            " Or keep the release that the program was written for, in an environment of its own."}};
    return;
  }
}

// By the releases alone, where no metadata says what TensorFlow requires: each from 2.6 on has a Keras of its own, and
// Keras 2.4 is a name for that of TensorFlow 2.2 and later (https://github.com/keras-team/keras/releases/tag/2.4.0).
void judge_releases(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const Text& stated = of(snapshot.keras, &Keras::version);
  const std::string tensorflow = framework_version(snapshot, "tensorflow");
  const std::string keras = stated.get() ? *stated.get() : listed_version(snapshot, "keras");
  if (of(snapshot.python, &Python::requirements).get() || tensorflow.empty() || keras.empty() || facts.used() ||
      of(snapshot.tensorflow, &Tensorflow::physical_gpus).or_empty() > 0)
    return;
  const auto needs = knowledge::tensorflow_needs(tensorflow);
  const std::string own = needs ? needs->keras : "", release = knowledge::major_minor_of(keras);
  const bool two = knowledge::major_of(own) == "2", of_this_kind = knowledge::major_of(release) == "2";
  const bool other_release = two && of_this_kind && release != own && knowledge::compare_versions(release, "2.6") >= 0;
  const bool needs_newer = release == "2.4" && knowledge::compare_versions(tensorflow, "2.2") < 0;
  if (!other_release && !needs_newer) return;
  Finding& finding = answers.found_on("package:keras");
  finding.confidence = Confidence::likely;
  finding.explanation =
      other_release ? fmt::format("TensorFlow {} belongs with Keras {}; {} is installed.", tensorflow, own, keras)
                    : "Keras " + keras + " needs TensorFlow 2.2 or later; " + tensorflow + " is installed.";
  finding.evidence = {evidence(stated.get() ? "/keras/version" : "/python/packages/keras", keras),
                      framework_seen(snapshot, "tensorflow")};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

void name_keras(const Facts& facts, Answers& answers) {
  const std::string tensorflow = framework_version(facts, "tensorflow");
  const auto needs = tensorflow.empty() ? std::nullopt : knowledge::tensorflow_needs(tensorflow);
  // From Keras 3 on a TensorFlow takes several releases.
  if (!needs || knowledge::major_of(needs->keras) != "2") return;
  each_with_remedy(answers, [&](Finding& finding) {
    finding.fix = {{.text = fmt::format("TensorFlow {} belongs with Keras {}.", tensorflow, needs->keras)}};
    install_by_pip(facts, "\"keras==" + needs->keras + ".*\"", finding.fix.front());
  });
}

// A module of Keras that is there lacks a name: the program was written for another release.
void report_missing_name(const Facts& facts, Answers& answers) {
  const auto& names = facts.all({missing, "framework-name"});
  const auto of_keras = std::ranges::find_if(names, [](const Symptom* one) {
    return one->detail("module").starts_with("keras.") && !one->detail("attribute").empty();
  });
  if (!answers.findings.empty() || of_keras == names.end()) return;
  Finding& finding = answers.found_in(**of_keras, Confidence::possible);
  finding.explanation = fmt::format("This Keras has no {} in {}: the program was written for another release.",
                                    (*of_keras)->detail("attribute"), (*of_keras)->detail("module"));
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_releases(facts, answers);
  judge_removed(facts, answers);
  judge_metadata(facts, answers);
  judge_conflicts(facts, answers);
  report_missing_module(facts, answers);
  report_missing_name(facts, answers);
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
              {{mismatch, "keras-version"}, likely, nothing_removed},
              {{mismatch, "saved-model"}, possible, when::no_better_cause},
          },
      .judge = judge,
      .complete = name_keras,
  };
}

}  // namespace envdoctor::keras_version_mismatch
