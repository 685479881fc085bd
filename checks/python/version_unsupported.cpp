// python.version-unsupported: the framework has no wheel for this Python, or its files were built for another one.
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "checks/engine/rule.h"
#include "checks/facts/fitting_build.h"
#include "checks/facts/imports.h"
#include "checks/python/package_facts.h"
#include "knowledge/frameworks/fitting_builds.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::python_version_unsupported {

using enum SymptomClass;

// "cp311-cp311-manylinux…" fits 3.11 only, "cp39-abi3-…" 3.9 and later, "py3-none-any" any. Nothing: unknown tag.
std::optional<bool> fits(const std::string& tag, const std::string& python) {
  static const LazyRegex form("^cp3([0-9]+)(?:-(abi3)?|$)", RE2::Latin1);
  std::string minor, abi3;
  if (!RE2::PartialMatch(tag, form, &minor, &abi3)) return std::nullopt;
  const int order = knowledge::compare_versions(knowledge::major_minor_of(python), "3." + minor);
  return abi3.empty() ? order == 0 : order >= 0;
}

void report_tag(const Snapshot& snapshot, const std::string& package, const char* path, const Text& tag,
                Answers& answers) {
  const Text version = of(snapshot.python, &Python::version);
  if (!tag.get() || !version.get() || fits(*tag.get(), *version.get()).value_or(true)) return;
  Finding& finding = answers.found_on("package:" + package);
  finding.explanation = package + " was installed from a wheel for another Python (" +
                        tag.get()->substr(0, tag.get()->find('-')) + "); this one is " + *version.get() +
                        ", which can't load its compiled parts.";
  finding.evidence = {evidence(path, *tag.get()), evidence("/python/version", *version.get())};
  finding.fix = {
      {.text = "Reinstall the framework in this Python, or remove the other Python's folders from PYTHONPATH."}};
}

// Keras fails to import TensorFlow, and no recorded release has a wheel for this Python.
void report_releases(const Snapshot& snapshot, Answers& answers) {
  const Text version = of(snapshot.python, &Python::version);
  if (!version.get() || !snapshot.keras.get() || !imports_of(snapshot).empty()) return;
  const std::string series = knowledge::major_minor_of(*version.get());
  std::string newest;
  for (const std::string& release : knowledge::tensorflow_releases()) {
    const auto needs = knowledge::tensorflow_needs(release);
    if (!needs || needs->pythons.empty()) continue;
    if (newest.empty()) newest = needs->pythons.back();
    if (std::ranges::find(needs->pythons, series) != needs->pythons.end()) return;
  }
  if (newest.empty()) return;
  Finding& finding = answers.found_on("package:tensorflow");
  finding.confidence = Confidence::likely;
  finding.explanation =
      "Keras is installed without TensorFlow, and no recorded release of TensorFlow has a wheel for "
      "Python " +
      series + "; the newest is for " + newest + ".";
  finding.evidence = {evidence("/python/version", *version.get())};
  finding.fix = {
      {.text = "Make an environment with Python " + newest + ", or let Keras run on a backend that has one."}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  report_tag(snapshot, "tensorflow", "/tensorflow/wheel_tag", of(snapshot.tensorflow, &Tensorflow::wheel_tag), answers);
  report_tag(snapshot, "torch", "/torch/wheel_tag", of(snapshot.torch, &Torch::wheel_tag), answers);
  report_tag(snapshot, "jaxlib", "/jax/wheel_tag", of(snapshot.jax, &Jax::wheel_tag), answers);
  report_releases(snapshot, answers);
  const auto& packages = of(snapshot.python, &Python::packages);
  if (packages.get()) return answers.passed();
  answers.unknown(why_unknown("/python/packages", packages));
}

bool is_ours(std::string_view package) {
  static constexpr auto ours = std::to_array<std::string_view>(
      {"tensorflow", "torch", "jax", "keras", "nvidia-", "vllm", "sglang", "cupy", "numba", "mxnet", "paddlepaddle",
       "onnxruntime", "xformers", "flash-attn", "triton", "cudf"});
  return std::ranges::any_of(ours, [package](std::string_view name) { return package.starts_with(name); });
}

// The GPU framework, or one of its libraries, that pip was to install; null: none.
const Symptom* framework_asked(const Facts& facts) {
  const auto& lines = facts.all({missing, "package-version"});
  const auto found =
      std::ranges::find_if(lines, [](const Symptom* line) { return is_ours(line->detail("requirement")); });
  return found == lines.end() ? nullptr : *found;
}

// pip names the package that refuses this Python in a line of its own, too.
bool gpu_framework_asked(const Facts& facts) {
  return framework_asked(facts) ||
         std::ranges::any_of(facts.all({unsupported, "python-version"}),
                             [](const Symptom* line) { return is_ours(line->detail("package")); });
}

void judge_log(const Facts& facts, Answers& answers) {
  const Symptom* line = framework_asked(facts);
  if (!line || passed_over_by_old_pip(facts)) return;
  Finding& finding = answers.found_in(*line, Confidence::likely);
  if (auto build = fitting_build(facts, framework_of_package(line->detail("requirement")), true))
    finding.fix.push_back(std::move(*build));
}

// "tensorflow==2.10.0" of pip's line, or the same in the name of a wheel.
void name_python(const Facts& facts, Answers& answers) {
  static const LazyRegex pinned(R"(\b(tensorflow|torch)(?:-gpu|-cpu)?(?:==|-)(\d+\.\d+)[\w.-]*(?:\s|$))", RE2::Latin1);
  std::string framework, release;
  for (const Kind kind : {Kind{missing, "package-version"}, Kind{unsupported, "wheel"}}) {
    for (const Symptom* line : facts.all(kind))
      if (release.empty()) RE2::PartialMatch(line->text.or_empty(), pinned, &framework, &release);
  }
  const std::string newest = release.empty() ? "" : knowledge::newest_python_of(framework, release);
  if (newest.empty()) return;
  each_with_remedy(answers, [&](Finding& finding) {
    finding.fix.front().text = fmt::format(
        "{} {} has wheels up to Python {} ({}.json): make an environment with that one (uv venv --python {}, or conda "
        "create -n NAME python={}), or install a newer release.",
        framework == "torch" ? "PyTorch" : "TensorFlow", release, newest,
        framework == "torch" ? "pytorch" : "tensorflow", newest, newest);
  });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "python.version-unsupported",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The framework has no package for this Python version",
      .claim = "No build of the framework exists for this version or architecture of Python.",
      .proof = "pip finds no package for this interpreter.",
      .disproof = "The framework imports in this Python.",
      .remedy = "Make an environment with a Python version that the framework supports.",
      .explains = {"python.broken-install", "keras.backend-mismatch"},
      .symptoms =
          {
              {{unsupported, "wheel"}, likely},
              {{unsupported, "python-of-framework"}, likely},
              {{unsupported, "python-version"}, likely, gpu_framework_asked},
          },
      .judge_host = judge,
      .judge = judge_log,
      .complete = name_python,
  };
}

}  // namespace envdoctor::python_version_unsupported
