// python.broken-install: the framework's files are incomplete, or it fails at import.
#include <algorithm>
#include <set>

#include "checks/facts.h"
#include "checks/imports.h"
#include "checks/version_range.h"

namespace envdoctor {
namespace {

constexpr const char* id = "python.broken-install";

Fix reinstall(const Snapshot& snapshot, const std::string& package) {
  const Text python = of(snapshot.python, &Python::executable);
  const bool known = python.get() && !package.starts_with('~');
  return {
      .text = diagnosis(id)->remedy,
      .command = known ? "\"" + *python.get() + "\" -m pip install --force-reinstall --no-cache-dir " + package : ""};
}

// Whether a framework needs this package: itself, or one that its metadata asks for.
bool matters(const Snapshot& snapshot, const std::string& package) {
  if (!framework_of_package(package).empty() || package == "numpy") return true;
  const auto needs = of(snapshot.python, &Python::requirements);
  return needs.get() &&
         std::ranges::any_of(*needs.get(), [&](const PackageRequirement& n) { return n.name.is(package); });
}

std::string words_for(const std::string& what, const std::string& package, const std::string& path) {
  if (what == "files-missing") return package + " is listed as installed, and its file " + path + " is gone.";
  if (what == "metadata-missing")
    return "The folder " + path + " lies there and no installed package owns it: what a removal left, or half a copy.";
  if (what == "recorded-twice") return package + " is listed in two versions at once: an upgrade broke off.";
  return "An uninstall broke off and left " + path + ".";
}

bool tell_damage(const Snapshot& snapshot, std::set<std::string>& blamed, Answers& answers) {
  const auto damage = of(snapshot.python, &Python::damage);
  bool told = false;
  for (std::size_t i = 0; damage.get() && i < damage.get()->size(); ++i) {
    const PackageDamage& one = (*damage.get())[i];
    if (!one.package.get() || !one.what.get() || !one.path.get()) continue;
    const bool leftover = one.what.is("leftover");
    if (!leftover && !matters(snapshot, *one.package.get())) continue;
    if (!leftover) blamed.insert(framework_of_package(*one.package.get()));
    Finding& finding = answers.found(id, "package:" + *one.package.get());
    const Flag well = imports_well(snapshot, framework_of_package(*one.package.get()));
    // pip passes over a leftover, and a package that is imported without complaint works for now.
    finding.severity = leftover ? Severity::info : well.is(true) ? Severity::warning : Severity::error;
    finding.confidence = well.is(true) ? Confidence::likely : Confidence::certain;
    finding.explanation = words_for(*one.what.get(), *one.package.get(), *one.path.get());
    finding.evidence = {seen(at("/python/damage", i, "path"), *one.path.get())};
    finding.fix = {leftover ? Fix{.text = "Delete what begins with ~ in that folder."}
                            : reinstall(snapshot, *one.package.get())};
    told = true;
  }
  return told;
}

// A package that is listed, and brought nothing: what tensorflow-gpu became. Its wheel is for any machine, as that of
// no TensorFlow with code in it.
bool tell_empty(const Snapshot& snapshot, Answers& answers) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow || !tensorflow->package.is("tensorflow-gpu") || !tensorflow->version.get()) return false;
  if (!tensorflow->wheel_tag.get() || !tensorflow->wheel_tag.get()->ends_with("-any")) return false;
  if (tensorflow->built_with_cuda.get() || tensorflow->import_error.outcome() == Outcome::absent) return false;
  Finding& finding = answers.found(id, "package:tensorflow-gpu");
  finding.confidence = Confidence::certain;
  finding.explanation = "tensorflow-gpu " + *tensorflow->version.get() +
                        " is listed as installed and holds no TensorFlow: the package was given up, and its last "
                        "releases are empty.";
  finding.evidence = {seen("/tensorflow/package", "tensorflow-gpu"),
                      seen("/tensorflow/wheel_tag", *tensorflow->wheel_tag.get())};
  finding.fix = {{.text = "Uninstall tensorflow-gpu and install tensorflow[and-cuda]."}};
  return true;
}

// jaxlib belongs to jax, version by version.
bool tell_jaxlib(const Snapshot& snapshot, Answers& answers) {
  const auto needs = of(snapshot.python, &Python::requirements);
  bool told = false;
  for (std::size_t i = 0; needs.get() && i < needs.get()->size(); ++i) {
    const PackageRequirement& need = (*needs.get())[i];
    if (!need.name.is("jaxlib") || !need.range.get() || !need.by.get() || told) continue;
    const bool missing = need.installed.outcome() == Outcome::absent;
    if (!missing && !(need.installed.get() && in_range(*need.installed.get(), *need.range.get()).is(false))) continue;
    told = true;
    Finding& finding = answers.found(id, "package:jaxlib");
    finding.confidence = imports_well(snapshot, "jax").is(true) ? Confidence::possible : Confidence::certain;
    if (imports_well(snapshot, "jax").is(true)) finding.severity = Severity::warning;
    finding.explanation = *need.by.get() + " asks for jaxlib " + *need.range.get() +
                          (missing ? "; none is installed." : "; " + *need.installed.get() + " is installed.");
    finding.evidence = {seen(at("/python/requirements", i, "range"), *need.range.get())};
    finding.fix = {{.text = "Install jax and jaxlib together, in one command."}};
  }
  return told;
}

// `blamed`: frameworks whose damage is told already.
bool tell_imports(const Snapshot& snapshot, const std::set<std::string>& blamed, Answers& answers) {
  bool told = false;
  for (const Import& one : imports_of(snapshot)) {
    const bool crashed =
        one.error.outcome() == Outcome::failed && one.error.why().find("ended by SIG") != std::string::npos;
    if (!one.error.get() && !crashed) continue;
    told = true;
    if (blamed.contains(one.framework)) continue;
    Finding& finding = answers.found(id, std::string("framework:") + one.framework);
    finding.confidence = one.error.get() ? Confidence::certain : Confidence::likely;
    const std::string& words = one.error.get() ? *one.error.get() : one.error.why();
    finding.explanation = std::string("import ") + one.framework + " fails: " + words + ".";
    finding.evidence = {seen(one.path, words)};
    finding.fix = {reinstall(snapshot, one.framework)};
  }
  return told;
}

void run(const Snapshot& snapshot, Answers& answers) {
  std::set<std::string> blamed;
  const bool damaged = tell_damage(snapshot, blamed, answers), jaxlib = tell_jaxlib(snapshot, answers),
             imports = tell_imports(snapshot, blamed, answers), empty = tell_empty(snapshot, answers);
  if (!damaged && !jaxlib && !imports && !empty) {
    const auto damage = of(snapshot.python, &Python::damage);
    const auto unasked = [](const Import& i) { return !i.went_well(); };
    const auto all = imports_of(snapshot);
    if (!damage.get())
      answers.unknown(id, why_unknown("/python/damage", damage));
    else if (std::ranges::any_of(all, unasked))
      answers.unknown(id, std::string(std::ranges::find_if(all, unasked)->path) + ": not told");
    else
      answers.sound(id);
  }
}

}  // namespace

Check python_broken_install() { return {{id}, run}; }

}  // namespace envdoctor
