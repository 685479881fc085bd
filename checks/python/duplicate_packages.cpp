// python.duplicate-packages: two packages that write the same folder; the one installed last is the one that runs.
#include "checks/engine/rule.h"
#include "checks/facts/imports.h"

namespace envdoctor::python_duplicate_packages {

using enum SymptomClass;

// The packages of each group install the same Python package.
const std::vector<std::vector<std::string>>& groups() {
  static const std::vector<std::vector<std::string>> all = {
      {"tf-nightly", "tf-nightly-gpu", "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-rocm",
       "tensorflow-directml", "intel-tensorflow"},
      {"onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-rocm", "onnxruntime-openvino",
       "onnxruntime-training"},
      {"jax-cuda12-plugin", "jax-cuda13-plugin"}};
  return all;
}

// For a probed host: the conflicts in the lists of installed files, and which package's files are present.
void report_seen(const Snapshot& snapshot, Answers& answers) {
  const auto& twice = of(snapshot.python, &Python::written_twice).or_empty();
  for (std::size_t i = 0; i < twice.size(); ++i) {
    const WrittenTwice& one = twice[i];
    const auto& packages = one.packages.or_empty();
    const bool matters =
        !framework_of_package(one.folder.or_empty()).empty() || one.folder.is("numpy") || one.folder.is("onnxruntime");
    if (packages.size() != 2 || !matters) continue;
    const std::string &first = packages.front(), &second = packages.back();
    Finding& finding = answers.found_on("package:" + first.substr(0, first.find(' ')));
    finding.explanation = first + " and " + second + " both install the folder " + *one.folder.get() +
                          (one.winner.get() ? ". The folder contains the files of " + *one.winner.get() + "."
                           : one.winner.outcome() == Outcome::failed ? ". The folder contains files of both."
                                                                     : ". The one that was installed last is used.");
    finding.evidence = {evidence(at("/python/written_twice", i, "packages"), first + ", " + second)};
    finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
  }
}

// Only by the names in the package list.
void report_listed(const Snapshot& snapshot, Answers& answers) {
  if (of(snapshot.python, &Python::written_twice).get()) return;  // probed: they don't share a file
  for (std::vector<std::string> group : groups()) {
    std::erase_if(group, [&](const std::string& name) { return !package_installed(snapshot, name).is(true); });
    for (std::size_t i = 1; i < group.size(); ++i) {
      const std::string &one = group[i - 1], &other = group[i];
      Finding& finding = answers.found_on("package:" + other);
      finding.confidence = Confidence::possible;
      if (of(snapshot.tensorflow, &Tensorflow::physical_gpus).or_empty() > 0) finding.severity = Severity::info;
      finding.explanation =
          one + " and " + other + " install the same folder, so the one that was installed last is used.";
      finding.evidence.push_back(evidence("/python/packages", one + ", " + other));
      finding.fix.push_back({.text = find_diagnosis(answers.id)->remedy});
    }
  }
}

// pip's list of conflicts names what is installed.
void report_conflicts(const Facts& facts, Answers& answers) {
  const std::vector<std::string>& same_folder = groups().front();
  const Symptom* first = nullptr;
  for (const Symptom* conflict : facts.all({mismatch, "package-version"})) {
    const std::string package = conflict->detail("package");
    if (std::ranges::find(same_folder, package) == same_folder.end()) continue;
    if (!first) first = conflict;
    if (first->detail("package") == package) continue;
    answers.found_in(*first, Confidence::likely).evidence.push_back(evidence(*conflict));
    return;
  }
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const auto& packages = of(snapshot.python, &Python::packages);
  report_conflicts(facts, answers);
  report_seen(snapshot, answers);
  report_listed(snapshot, answers);
  if (packages.get()) return answers.passed();
  answers.unknown(why_unknown("/python/packages", packages));
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "python.duplicate-packages",
      .layer = Layer::framework,
      .severity = Severity::warning,
      .title = "Two packages install the same framework",
      .claim = "Both write into one folder, and the one installed last is used.",
      .proof = "The package list holds two packages that write into one folder.",
      .disproof = "Only one of the packages is installed.",
      .remedy = "Uninstall both, then install the one that is wanted.",
      .explains = {"usage.detected-unused", "runtime.cpu-only-build", "python.broken-install",
                   "keras.version-mismatch"},
      .symptoms =
          {
              {{duplicate, "python-package"}, likely},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::python_duplicate_packages
