// python.duplicate-packages: two packages that write the same folder; the one installed last is the one that runs.
#include <re2/re2.h>

#include <map>
#include <set>

#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/python/package_facts.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::python_duplicate_packages {

using enum SymptomClass;

// The packages of each group install the same Python package.
const std::vector<std::vector<std::string>>& groups() {
  static const std::vector<std::vector<std::string>> all = {
      {"tf-nightly", "tf-nightly-gpu", "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-rocm",
       "tensorflow-directml", "intel-tensorflow"},
      {"onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-rocm", "onnxruntime-openvino",
       "onnxruntime-training"},
      {"jax-cuda12-plugin", "jax-cuda13-plugin"},
      {"xgboost", "xgboost-cpu"},
      {"faiss-cpu", "faiss-gpu", "faiss-gpu-cu11", "faiss-gpu-cu12"},
      {"paddlepaddle", "paddlepaddle-gpu", "paddlepaddle-dcu", "paddlepaddle-xpu"}};
  return all;
}

// "cudf" of "cudf-cu12", "cupy" of "cupy-cuda12x": such packages exist once for each CUDA and write the same folder.
// NVIDIA's own libraries don't clash, as their files carry the version.
std::string without_cuda(const std::string& package) {
  static const LazyRegex form("([a-z][a-z0-9-]*?)-(?:cu(?:da)?[0-9]{2,3}x?|rocm-[0-9]-[0-9])", RE2::Latin1);
  std::string name;
  return RE2::FullMatch(package, form, &name) && !name.starts_with("nvidia-") && !name.starts_with("jax") ? name : "";
}

// Packages for two CUDAs, or one without a name for its CUDA beside one with it.
std::vector<std::vector<std::string>> builds_for_two_cudas(const Snapshot& snapshot) {
  std::map<std::string, std::vector<std::string>> by_name;
  for (const auto& [package, version] : of(snapshot.python, &Python::packages).or_empty()) {
    if (const std::string name = without_cuda(package); !name.empty()) by_name[name].push_back(package);
  }
  std::vector<std::vector<std::string>> all;
  for (auto& [name, packages] : by_name) {
    if (package_installed(snapshot, name).is(true)) packages.push_back(name);
    if (packages.size() > 1) all.push_back(packages);
  }
  return all;
}

// Which of two packages for one folder is the one for GPUs, if only one is; empty: their names don't say it.
std::string one_for_gpus(const std::string& one, const std::string& other) {
  static const std::set<std::string> of_cpu = {"tensorflow-cpu", "intel-tensorflow", "onnxruntime",
                                               "xgboost-cpu",    "faiss-cpu",        "paddlepaddle"};
  // Since TensorFlow 2.1 tensorflow-gpu holds the same as tensorflow; its last releases hold nothing.
  static const std::set<std::string> discontinued = {"tensorflow-gpu", "tf-nightly-gpu"};
  const auto fits = [](const std::string& name) { return !of_cpu.contains(name) && !discontinued.contains(name); };
  return fits(one) == fits(other) ? "" : fits(one) ? one : other;
}

// Both out, then the one for GPUs in the version that is listed. pip removes files of both with either.
Fix one_instead_of_two(const Snapshot& snapshot, const std::string& one, const std::string& other) {
  Fix fix{.text = find_diagnosis("python.duplicate-packages")->remedy};
  const std::string wanted = has_any_gpu(snapshot).is(false) ? "" : one_for_gpus(one, other);
  if (wanted.empty()) return fix;
  fix.text = fmt::format("Uninstall both, then install {}, the one for GPUs.", wanted);
  const std::string version = listed_version(snapshot, wanted);
  exchange_by_pip(snapshot, one + " " + other, version.empty() ? wanted : fmt::format("\"{}=={}\"", wanted, version),
                  fix);
  return fix;
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
    const auto name_of = [](const std::string& package) { return package.substr(0, package.find(' ')); };
    Finding& finding = answers.found_on("package:" + name_of(first));
    finding.explanation = first + " and " + second + " both install the folder " + *one.folder.get() +
                          (one.winner.get() ? ". The folder contains the files of " + *one.winner.get() + "."
                           : one.winner.outcome() == Outcome::failed ? ". The folder contains files of both."
                                                                     : ". The one that was installed last is used.");
    finding.evidence = {evidence(at("/python/written_twice", i, "packages"), first + ", " + second)};
    finding.fix = {one_instead_of_two(snapshot, name_of(first), name_of(second))};
  }
}

void report_two_cudas(const Facts& facts, Answers& answers) {
  std::vector<std::string> all;
  for (const std::vector<std::string>& packages : builds_for_two_cudas(facts))
    all.push_back(fmt::format("{}", fmt::join(packages, " and ")));
  if (all.empty()) return;
  Finding& finding = answers.found_on("package:" + all.front().substr(0, all.front().find(' ')));
  const bool fails = facts.saw({{missing, "library-symbol"}, {missing, "name-in-module"}, {failed, "python-import"}});
  finding.confidence = fails ? Confidence::likely : Confidence::possible;
  finding.explanation =
      fmt::format("{}: builds for two CUDAs install the same folder, so the one that was installed last is used.",
                  fmt::join(all, ", "));
  finding.evidence.push_back(evidence("/python/packages", all.front()));
  finding.fix.push_back({.text = find_diagnosis(answers.id)->remedy});
}

// A line says that this very package has no GPU in it: it is the CPU's build that runs. TensorFlow's lines name it for
// other reasons, too.
bool runs_without_gpu(const Facts& facts, const std::string& package) {
  const std::string name = package.substr(0, package.find('-'));
  if (name == "tensorflow" || name == "tf") return false;
  for (const Kind& kind : {Kind{missing, "gpu-support"}, Kind{noted, "cpu-build"}}) {
    for (const Symptom* line : facts.all(kind)) {
      if (line->text.or_empty().find(name) != std::string::npos || line->detail("built") == name) return true;
    }
  }
  return false;
}

// TensorFlow's package for the CPU beside one with CUDA, and TensorFlow says that it was built without: the wrong one
// is used.
bool cpu_package_runs(const Snapshot& snapshot, const std::vector<std::string>& group) {
  const auto has = [&group](const char* name) { return std::ranges::find(group, name) != group.end(); };
  const bool of_gpu = has("tensorflow-gpu") || (has("tensorflow") && !of(snapshot.host, &HostFacts::platform).get());
  return of_gpu && (has("tensorflow-cpu") || has("intel-tensorflow")) &&
         of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false);
}

// Only by the names in the package list.
void report_listed(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  if (of(snapshot.python, &Python::written_twice).get()) return;  // probed: they don't share a file
  report_two_cudas(facts, answers);
  for (std::vector<std::string> group : groups()) {
    std::erase_if(group, [&](const std::string& name) { return !package_installed(snapshot, name).is(true); });
    for (std::size_t i = 1; i < group.size(); ++i) {
      const std::string &one = group[i - 1], &other = group[i];
      Finding& finding = answers.found_on("package:" + other);
      const bool of_cpu = runs_without_gpu(facts, one) || cpu_package_runs(snapshot, group);
      finding.confidence = of_cpu ? Confidence::likely : Confidence::possible;
      if (of(snapshot.tensorflow, &Tensorflow::physical_gpus).or_empty() > 0) finding.severity = Severity::info;
      finding.explanation =
          one + " and " + other + " install the same folder, so the one that was installed last is used.";
      finding.evidence.push_back(evidence("/python/packages", one + ", " + other));
      finding.fix.push_back(one_instead_of_two(snapshot, one, other));
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
  report_listed(facts, answers);
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
