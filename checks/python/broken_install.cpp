// python.broken-install: the framework's files are incomplete, or it fails at import.
#include <set>
#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/python/package_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::python_broken_install {

using enum SymptomClass;

Fix reinstall(const Snapshot& snapshot, const std::string& package) {
  return {
      .text = find_diagnosis("python.broken-install")->remedy,
      .command = package.starts_with('~') ? "" : pip_install(snapshot, "--force-reinstall --no-cache-dir " + package)};
}

// Whether a framework needs this package: the framework itself, or a requirement in its metadata.
bool matters(const Snapshot& snapshot, const std::string& package) {
  return !framework_of_package(package).empty() || package == "numpy" ||
         std::ranges::any_of(of(snapshot.python, &Python::requirements).or_empty(),
                             [&](const PackageRequirement& n) { return n.name.is(package); });
}

std::string words_for(const std::string& what, const std::string& package, const std::string& path) {
  if (what == "files-missing") return package + " is listed as installed, but its file " + path + " is missing.";
  if (what == "metadata-missing")
    return "The folder " + path + " belongs to no installed package: an incomplete removal or copy left it.";
  if (what == "recorded-twice") return package + " is listed in two versions at once: an upgrade was interrupted.";
  return "An interrupted uninstall left " + path + ".";
}

void report_damage(const Snapshot& snapshot, std::set<std::string>& blamed, Answers& answers) {
  const auto& damage = of(snapshot.python, &Python::damage).or_empty();
  for (std::size_t i = 0; i < damage.size(); ++i) {
    const PackageDamage& one = damage[i];
    if (!one.package.get() || !one.what.get() || !one.path.get()) continue;
    const std::string &package = *one.package.get(), framework = framework_of_package(package);
    const bool leftover = one.what.is("leftover");
    if (!leftover && !matters(snapshot, package)) continue;
    if (!leftover) blamed.insert(framework);
    Finding& finding = answers.found_on("package:" + package);
    const bool works = imports_well(snapshot, framework).is(true);
    // pip ignores a leftover, and a package that is imported without complaint works for now.
    finding.severity = leftover ? Severity::info : works ? Severity::warning : Severity::error;
    finding.confidence = works ? Confidence::likely : Confidence::certain;
    finding.explanation = words_for(*one.what.get(), package, *one.path.get());
    finding.evidence = {evidence(at("/python/damage", i, "path"), *one.path.get())};
    finding.fix = {leftover ? Fix{.text = "Delete the entries that begin with ~ in that folder."}
                            : reinstall(snapshot, package)};
  }
}

// A package that is listed but empty, as tensorflow-gpu is now. Its wheel is for any machine, unlike those of
// every TensorFlow with code.
void report_empty(const Snapshot& snapshot, Answers& answers) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow || !tensorflow->package.is("tensorflow-gpu") || !tensorflow->version.get() ||
      !tensorflow->wheel_tag.or_empty().ends_with("-any") || tensorflow->built_with_cuda.get() ||
      tensorflow->import_error.outcome() == Outcome::absent)
    return;
  Finding& finding = answers.found_on("package:tensorflow-gpu");
  finding.explanation = "tensorflow-gpu " + *tensorflow->version.get() +
                        " is listed as installed and contains no TensorFlow: the package is discontinued, and its last "
                        "releases are empty.";
  finding.evidence = {evidence("/tensorflow/package", "tensorflow-gpu"),
                      evidence("/tensorflow/wheel_tag", *tensorflow->wheel_tag.get())};
  finding.fix = {{.text = "Uninstall tensorflow-gpu and install tensorflow[and-cuda]."}};
}

// Each jax version needs its own jaxlib version.
void report_jaxlib(const Facts& facts, Answers& answers) {
  for (const Requirement& need : requirements(facts)) {
    if (need.name != "jaxlib" || need.symptom || !need.met.is(false)) continue;
    const bool works = imports_well(facts.snapshot(), "jax").is(true);
    Finding& finding = answers.found_on("package:jaxlib");
    finding.confidence = works ? Confidence::possible : Confidence::certain;
    if (works) finding.severity = Severity::warning;
    finding.explanation = need.by + " requires jaxlib " + need.range +
                          (need.installed.empty() ? "; none is installed." : "; " + need.installed + " is installed.");
    finding.evidence = need.evidence;
    finding.fix = {{.text = "Install jax and jaxlib together, in one command."}};
    return;
  }
}

// `blamed`: frameworks whose damage is already reported.
void report_imports(const Snapshot& snapshot, const std::set<std::string>& blamed, Answers& answers) {
  for (const Import& one : imports_of(snapshot)) {
    const bool crashed =
        one.error.outcome() == Outcome::failed && one.error.why().find("ended by SIG") != std::string::npos;
    if (!one.error.get() && !crashed) continue;
    if (blamed.contains(one.framework)) continue;
    Finding& finding = answers.found_on(std::string("framework:") + one.framework);
    finding.confidence = one.error.get() ? Confidence::certain : Confidence::likely;
    const std::string& words = one.error.get() ? *one.error.get() : one.error.why();
    finding.explanation = std::string("import ") + one.framework + " fails: " + words + ".";
    finding.evidence = {evidence(one.path, words)};
    finding.fix = {reinstall(snapshot, one.framework)};
  }
}

void judge_environment(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  std::set<std::string> blamed;
  report_damage(snapshot, blamed, answers);
  report_jaxlib(facts, answers);
  report_imports(snapshot, blamed, answers);
  report_empty(snapshot, answers);
  const auto& damage = of(snapshot.python, &Python::damage);
  if (!damage.get()) return answers.unknown(why_unknown("/python/damage", damage));
  for (const Import& one : imports_of(snapshot)) {
    if (!one.went_well()) return answers.unknown(std::string(one.path) + ": not looked at");
  }
  answers.passed();
}

void judge(const Facts& facts, Answers& answers) {
  judge_environment(facts, answers);
  report_missing_module(facts, answers);
  if (const auto lacking = missing_symbol(facts, answers.id)) answers.found_in(*lacking->symptom, lacking->confidence);
}

bool dll_alone(const Facts& facts) {
  return !facts.saw({{hidden, "python-package"},
                     {missing, "library"},
                     {missing, "library-by-ldd"},
                     {mismatch, "numpy-abi"},
                     {missing, "cpu-instructions"},
                     {crashed, "cpu-instructions"},
                     {mismatch, "protobuf-version"}});
}

bool not_half_imported(const Facts& facts) {
  return dll_alone(facts) && !facts.saw({{hidden, "half-imported-package"}});
}

// A removal didn't end, and the import that follows finds files of two versions.
bool half_removed(const Facts& facts) {
  return facts.saw({{hidden, "half-imported-package"}, {failed, "python-import"}, {missing, "library-symbol"}});
}

// A library of PyTorch's or TensorFlow's lacks another one on Windows: most often Microsoft's own.
void name_runtime_of_windows(const Facts& facts, Answers& answers) {
  const auto& failed_libraries = facts.all({failed, "dll"});
  const bool lacks = std::ranges::any_of(failed_libraries, [](const Symptom* line) {
    const std::string text = line->text.or_empty();
    return text.find("WinError 126") != text.npos || text.find("specified module could not be found") != text.npos ||
           text.find("Visual C++ Redistributable") != text.npos;
  });
  if (!lacks) return;
  each_with_remedy(answers, [&](Finding& finding) {
    finding.fix = {{.text = "Install Microsoft's Visual C++ Redistributable for x64 (https://aka.ms/vs/17/release/"
                            "vc_redist.x64.exe), which these libraries need."},
                   {.text = find_diagnosis(answers.id)->remedy}};
  });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "python.broken-install",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The framework's installation is damaged",
      .claim = "Files of the package are missing or belong to another version.",
      .proof = "The framework's own module fails to import a part of itself.",
      .disproof = "The package imports in a new process.",
      .remedy = "Uninstall the package completely and install it again, preferably in a new environment.",
      .explains = {"usage.detected-unused", "runtime.cpu-only-build"},
      .symptoms =
          {
              {{missing, "system-library"}, likely},
              {{missing, "package-file"}, likely},
              {{mismatch, "jaxlib-version"}, likely},
              {{failed, "dll"}, possible, dll_alone},
              {{failed, "python-import"}, likely, not_half_imported},
              {{failed, "python-import"}, possible, dll_alone},
              {{failed, "package-removal"}, likely, half_removed},
              {{failed, "package-removal"}, possible, dll_alone},
              {{failed, "package-removal-for-install"}, possible, half_removed},
              {{too_old, "glibc"}, possible},
              {{duplicate, "openmp-runtime"}, possible},
              {{failed, "tensorflow-runtime"}, possible, dll_alone},
          },
      .judge = judge,
      .complete = name_runtime_of_windows,
  };
}

}  // namespace envdoctor::python_broken_install
