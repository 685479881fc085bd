// keras.backend-mismatch, keras.legacy-missing: what Keras is told to run on, what it runs on, and whether that is
// installed. The variable outranks the file, and both are read once, when Keras is imported.
#include <algorithm>

#include "checks/facts.h"
#include "checks/imports.h"
#include "checks/version_range.h"
#include "knowledge/drivers.h"
#include "knowledge/frameworks.h"

namespace envdoctor {
namespace {

constexpr const char* id = "keras.backend-mismatch";
constexpr const char* legacy_id = "keras.legacy-missing";

Finding& tell(Answers& answers, const std::string& words, std::vector<Evidence> evidence) {
  Finding& finding = answers.found(id, "framework:keras");
  finding.confidence = Confidence::certain;
  finding.explanation = words;
  finding.evidence = std::move(evidence);
  finding.fix.push_back({.text = diagnosis(id)->remedy});
  return finding;
}

// Keras 2 knows TensorFlow only; Keras 3 takes what it is told.
bool keras_3(const Snapshot& snapshot) {
  const Text version = of(snapshot.keras, &Keras::version);
  return version.get() && !rule_for("keras", "chooses_backend", *version.get()).empty();
}

struct Wish {
  std::string backend{};
  Evidence evidence{};
};

Wish wish_of(const Snapshot& snapshot) {
  const Text variable = env_of(snapshot, "KERAS_BACKEND");
  if (variable.get() && !variable.get()->empty()) return {*variable.get(), seen("/env/KERAS_BACKEND", *variable.get())};
  const Text file = of(snapshot.keras, &Keras::config_backend);
  if (file.get()) return {*file.get(), seen("/keras/config_backend", *file.get())};
  return {"tensorflow", seen("/keras/config_backend", "not set: tensorflow")};
}

Flag backend_installed(const Snapshot& snapshot, const std::string& backend) {
  for (const Import& one : imports_of(snapshot)) {
    if (one.framework == backend) return true;
  }
  return of(snapshot.python, &Python::packages).then([&](const std::map<std::string, std::string>& packages) {
    return std::ranges::any_of(packages, [&](const auto& entry) {
      return entry.first == backend || framework_of_package(entry.first) == backend;
    });
  });
}

// Whether what Keras is told to run on is there to run on. True: told.
bool judge_wish(const Snapshot& snapshot, Answers& answers) {
  if (!keras_3(snapshot)) return false;
  const Wish wish = wish_of(snapshot);
  if (!backend_installed(snapshot, wish.backend).is(false)) return false;
  Finding& finding = tell(answers,
                          "Keras is told to run on " + wish.backend +
                              ", which is not installed in this environment, so Keras can't be imported.",
                          {wish.evidence, seen("/python/packages", wish.backend + " is not among them")});
  finding.severity = Severity::error;
  finding.fix = {{.text = "Install " + wish.backend + ", or set KERAS_BACKEND to a backend that is installed."}};
  return true;
}

void judge_backend(const Snapshot& snapshot, Answers& answers) {
  const Text runs = of(snapshot.keras, &Keras::backend);
  const Text file = of(snapshot.keras, &Keras::config_backend);
  const Text variable = env_of(snapshot, "KERAS_BACKEND");
  const bool by_variable = variable.get() && !variable.get()->empty();
  if (judge_wish(snapshot, answers)) return;
  if (!runs.get()) {
    if (snapshot.keras.get())
      answers.unknown(id, why_unknown("/keras/backend", runs));
    else
      answers.not_applicable(id, "Keras was not looked at");
  } else if (by_variable && *variable.get() != *runs.get()) {
    tell(answers,
         "KERAS_BACKEND asks for " + *variable.get() + " and Keras runs on " + *runs.get() +
             ": the variable was set after Keras had been imported, or in another shell.",
         {seen("/env/KERAS_BACKEND", *variable.get()), seen("/keras/backend", *runs.get())});
  } else if (file.get() && *file.get() != *runs.get() && !of(snapshot.python, &Python::packages).get()) {
    // In a report: the person speaks of the file, and something outranks it.
    tell(answers,
         "keras.json asks for " + *file.get() + " and Keras runs on " + *runs.get() +
             (by_variable ? ": the variable KERAS_BACKEND outranks the file." : "."),
         {seen("/keras/config_backend", *file.get()), seen("/keras/backend", *runs.get())});
  } else if (file.get() && *file.get() != *runs.get() && !by_variable) {
    tell(answers, "keras.json asks for " + *file.get() + " and Keras runs on " + *runs.get() + ".",
         {seen("/keras/config_backend", *file.get()), seen("/keras/backend", *runs.get())});
  } else {
    answers.sound(id);
  }
}

// TF_USE_LEGACY_KERAS makes tf.keras look for the package tf-keras, from the first TensorFlow on that installs Keras 3.
void judge_legacy(const Snapshot& snapshot, Answers& answers) {
  const Text variable = env_of(snapshot, "TF_USE_LEGACY_KERAS");
  const Text version = of(snapshot.tensorflow, &Tensorflow::version);
  const bool asked =
      variable.get() && (*variable.get() == "1" || *variable.get() == "True" || *variable.get() == "true");
  if (!asked) return answers.not_applicable(legacy_id, "TF_USE_LEGACY_KERAS is not set");
  if (!version.get()) return answers.not_applicable(legacy_id, "TensorFlow was not looked at");
  const auto needs = knowledge::tensorflow_needs(*version.get());
  if (!needs || needs->keras.empty())
    return answers.unknown(legacy_id, "which Keras TensorFlow " + *version.get() + " installs is not recorded");
  const Flag there = package_installed(snapshot, "tf-keras");
  if (knowledge::major_of(needs->keras) == "2" || there.is(true)) return answers.sound(legacy_id);
  if (!there.get()) return answers.unknown(legacy_id, why_unknown("/python/packages", there));
  Finding& finding = answers.found(legacy_id, "package:tf-keras");
  finding.confidence = Confidence::certain;
  finding.explanation = "TF_USE_LEGACY_KERAS asks TensorFlow " + *version.get() +
                        " for Keras 2, which lies in the package tf-keras, and that is not installed.";
  finding.evidence = {seen("/env/TF_USE_LEGACY_KERAS", *variable.get()),
                      seen("/python/packages", "tf-keras is not among them")};
  const Text python = of(snapshot.python, &Python::executable);
  const std::string minor = knowledge::major_minor_of(*version.get());
  finding.fix = {
      {.text = "Install tf-keras in TensorFlow's version, or unset the variable.",
       .command = python.get() ? "\"" + *python.get() + "\" -m pip install \"tf-keras~=" + minor + ".0\"" : ""}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  judge_backend(snapshot, answers);
  judge_legacy(snapshot, answers);
}

}  // namespace

Check keras_backend_mismatch() { return {.ids = {id, legacy_id}, .run = run}; }

}  // namespace envdoctor
