// python.numpy-abi: a framework's own metadata requires another NumPy than the installed one, or its import says so.
// The result of the import decides the severity.
#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/python/package_facts.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::python_numpy_abi {

using enum SymptomClass;

// Releases without an upper bound that break anyway.
void numpy_2_under_old_tensorflow(const Snapshot& snapshot, Answers& answers) {
  const Text version = of(snapshot.tensorflow, &Tensorflow::version);
  const std::string numpy = listed_version(snapshot, "numpy");
  if (!version.get() || numpy.empty()) return;
  const auto needs = knowledge::tensorflow_needs(*version.get());
  if (!needs || needs->takes_numpy2.value_or(true) || knowledge::major_of(numpy) == "1" ||
      imports_well(snapshot, "tensorflow").is(true))
    return;
  Finding& finding = answers.found_on("package:numpy");
  finding.confidence = imports_well(snapshot, "tensorflow").is(false) ? Confidence::certain : Confidence::likely;
  finding.explanation = "TensorFlow " + *version.get() + " was built for NumPy 1; " + numpy + " is installed.";
  finding.evidence = {evidence("/tensorflow/version", *version.get()), evidence("/python/packages/numpy", numpy)};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

// Wheels of PyTorch before 2.3 were built for NumPy 1: https://github.com/pytorch/pytorch/issues/107302
void numpy_2_under_old_torch(const Snapshot& snapshot, Answers& answers) {
  const std::string torch = framework_version(snapshot, "torch");
  const std::string numpy = listed_version(snapshot, "numpy");
  if (torch.empty() || numpy.empty() || knowledge::compare_versions(numpy, "2") < 0 ||
      knowledge::compare_versions(torch, "2.3") >= 0)
    return;
  Finding& finding = answers.found_on("package:numpy");
  finding.severity = Severity::warning;
  finding.confidence = Confidence::likely;
  finding.explanation = "PyTorch " + torch + " was built for NumPy 1; " + numpy +
                        " is installed, so tensors and arrays can't be turned into each other.";
  finding.evidence = {framework_seen(snapshot, "torch"), evidence("/python/packages/numpy", numpy)};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy, .command = pip_install(snapshot, "'numpy<2'")}};
}

// A framework's own code asks for a name that NumPy has removed: np.bool, np.object and the like went in 1.24.
void removed_names(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{mismatch, "numpy-of-framework"}});
  if (!line) return;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  finding.title = "The framework is older than NumPy";
  finding.explanation = line->detail("framework") + "'s own code uses a name that the installed NumPy has removed.";
  finding.fix = {{.text = "Install the NumPy of the framework's time (below 1.24 for np.bool, np.int, np.object), or a "
                          "newer release of the framework.",
                  .command = pip_install(facts, "'numpy<1.24'")}};
}

void judge(const Facts& facts, Answers& answers) {
  const bool settled = judge_requirements(
      facts, {"numpy"},
      "Code that was compiled for one major version of NumPy crashes or refuses to load with another.", answers);
  const bool found = settled && of(facts.snapshot().python, &Python::requirements).get();
  if (!found) numpy_2_under_old_tensorflow(facts.snapshot(), answers);
  if (!found) numpy_2_under_old_torch(facts.snapshot(), answers);
  removed_names(facts, answers);
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "python.numpy-abi",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "NumPy and a compiled package are incompatible",
      .claim = "A package was compiled against another major version of NumPy than the installed one.",
      .proof = "The import's message names NumPy's binary interface.",
      .disproof = "The package imports with this NumPy.",
      .remedy = "Install NumPy below 2, or a version of the package that was built for NumPy 2.",
      .explains = {"python.broken-install", "usage.detected-unused"},
      .symptoms =
          {
              {{mismatch, "numpy-abi"}, certain},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::python_numpy_abi
