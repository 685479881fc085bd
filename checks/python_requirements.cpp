// python.numpy-abi, python.protobuf-mismatch, keras.version-mismatch: a framework's own metadata asks for another
// version of a package than the installed one. What happened at the import says how much that matters.
#include <algorithm>
#include <array>

#include "checks/facts.h"
#include "checks/imports.h"
#include "checks/version_range.h"
#include "knowledge/drivers.h"
#include "knowledge/frameworks.h"

namespace envdoctor {
namespace {

constexpr const char* numpy_id = "python.numpy-abi";
constexpr const char* protobuf_id = "python.protobuf-mismatch";
constexpr const char* keras_id = "keras.version-mismatch";
constexpr std::array ids = {numpy_id, protobuf_id, keras_id};

// The diagnosis that an unmet requirement on this package belongs to; null: none of these.
const char* id_of(const std::string& package) {
  if (package == "numpy") return numpy_id;
  if (package == "protobuf") return protobuf_id;
  return package == "keras" || package == "tf-keras" ? keras_id : nullptr;
}

std::string explain(const char* id, const PackageRequirement& need) {
  const std::string first = *need.by.get() + " asks for " + *need.name.get() + " " + *need.range.get() + "; " +
                            *need.installed.get() + " is installed. ";
  if (id == numpy_id)
    return first + "Code that was compiled for one major version of NumPy crashes or refuses to load with another.";
  if (id == protobuf_id) return first + "The framework's generated code doesn't load with it.";
  return first + "The parts of Keras inside TensorFlow don't find their counterparts.";
}

void tell(const Snapshot& snapshot, const char* id, const PackageRequirement& need, std::size_t index,
          Answers& answers) {
  Finding& finding = answers.found(id, "package:" + *need.name.get());
  const Flag well = imports_well(snapshot, framework_of_package(*need.by.get()));
  // It works all the same: the range is stricter than the code.
  finding.severity = well.is(true) ? Severity::warning : Severity::error;
  finding.confidence = well.is(false) ? Confidence::certain : well.is(true) ? Confidence::possible : Confidence::likely;
  // Keras is loaded late: an import that went well says nothing of it.
  if (id == keras_id) {
    const bool failed_later = of(snapshot.tensorflow, &Tensorflow::training_error).get() != nullptr;
    const bool trained = of(snapshot.tensorflow, &Tensorflow::training_on).get() != nullptr;
    finding.severity = trained ? Severity::warning : Severity::error;
    finding.confidence = failed_later || well.is(false) ? Confidence::certain : Confidence::likely;
  }
  finding.explanation = explain(id, need);
  finding.evidence = {seen(at("/python/requirements", index, "range"), *need.range.get()),
                      seen(at("/python/requirements", index, "installed"), *need.installed.get())};
  const Text python = of(snapshot.python, &Python::executable);
  finding.fix = {{.text = "Install a version that it asks for.",
                  .command = python.get() ? "\"" + *python.get() + "\" -m pip install \"" + *need.name.get() +
                                                *need.range.get() + "\""
                                          : ""}};
}

// Releases that set no upper bound and break all the same.
bool numpy_2_under_old_tensorflow(const Snapshot& snapshot, Answers& answers) {
  const Text version = of(snapshot.tensorflow, &Tensorflow::version);
  const auto packages = of(snapshot.python, &Python::packages);
  if (!version.get() || !packages.get() || !packages.get()->contains("numpy")) return false;
  const std::string& numpy = packages.get()->at("numpy");
  const auto needs = knowledge::tensorflow_needs(*version.get());
  if (!needs || needs->takes_numpy2.value_or(true) || knowledge::major_of(numpy) == "1" ||
      imports_well(snapshot, "tensorflow").is(true))
    return false;
  Finding& finding = answers.found(numpy_id, "package:numpy");
  finding.confidence = imports_well(snapshot, "tensorflow").is(false) ? Confidence::certain : Confidence::likely;
  finding.explanation = "TensorFlow " + *version.get() + " was built for NumPy 1; " + numpy + " is installed.";
  finding.evidence = {seen("/tensorflow/version", *version.get()), seen("/python/packages/numpy", numpy)};
  finding.fix = {{.text = diagnosis(numpy_id)->remedy}};
  return true;
}

void run(const Snapshot& snapshot, Answers& answers) {
  const auto needs = of(snapshot.python, &Python::requirements);
  bool any[ids.size()] = {}, asked[ids.size()] = {};
  if (!needs.get()) {
    for (const char* id : ids) answers.unknown(id, why_unknown("/python/requirements", needs));
    return;
  }
  for (std::size_t i = 0; i < needs.get()->size(); ++i) {
    const PackageRequirement& need = (*needs.get())[i];
    if (!need.by.get() || !need.name.get() || !need.range.get()) continue;
    const char* id = id_of(*need.name.get());
    if (!id) continue;
    const auto which = static_cast<std::size_t>(std::ranges::find(ids, std::string_view(id)) - ids.begin());
    asked[which] = true;
    if (!need.installed.get() || !in_range(*need.installed.get(), *need.range.get()).is(false)) continue;
    any[which] = true;
    tell(snapshot, id, need, i, answers);
  }
  if (!any[0]) any[0] = numpy_2_under_old_tensorflow(snapshot, answers);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (any[i]) continue;
    if (asked[i])
      answers.sound(ids[i]);
    else
      answers.not_applicable(ids[i], "no framework here asks for such a package");
  }
}

}  // namespace

Check python_requirements() { return {{numpy_id, protobuf_id, keras_id}, run}; }

}  // namespace envdoctor
