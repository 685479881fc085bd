// python.wrong-environment, python.version-unsupported: the Python that is active, the one that a notebook starts, and
// the one that the framework's files were made for.
#include <algorithm>
#include <cctype>

#include "checks/facts.h"
#include "checks/imports.h"
#include "knowledge/drivers.h"
#include "knowledge/frameworks.h"

namespace envdoctor {
namespace {

constexpr const char* id = "python.wrong-environment";
constexpr const char* version_id = "python.version-unsupported";

std::string list(const List<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; items.get() && i < items.get()->size(); ++i) out += (i ? ", " : "") + (*items.get())[i];
  return out.empty() ? "no framework" : out;
}

std::string own_frameworks(const Snapshot& snapshot) {
  std::string out;
  const auto add = [&out](const char* name, const Text& version) {
    if (version.get()) out += (out.empty() ? "" : ", ") + std::string(name) + " " + *version.get();
  };
  add("tensorflow", of(snapshot.tensorflow, &Tensorflow::version));
  add("torch", of(snapshot.torch, &Torch::version));
  add("jax", of(snapshot.jax, &Jax::version));
  return out.empty() ? "no framework" : out;
}

void tell_other(const Snapshot& snapshot, const PythonPlace& place, const std::string& who, const std::string& path,
                Confidence sure, Answers& answers) {
  Finding& finding = answers.found(id, "host");
  finding.severity = Severity::warning;
  finding.confidence = sure;
  finding.explanation = who + " runs in " + *place.prefix.get() + ", which holds " + list(place.frameworks) +
                        "; the Python that was looked at is " + *of(snapshot.python, &Python::prefix).get() +
                        ", which holds " + own_frameworks(snapshot) + ".";
  finding.evidence = {seen(path, *place.prefix.get()),
                      seen("/python/prefix", *of(snapshot.python, &Python::prefix).get())};
  finding.fix = {{.text = "Ask again with the Python that the notebook uses: --python " +
                          (place.executable.get() ? *place.executable.get() : std::string("KERNEL")) +
                          ". To use this one in notebooks, install ipykernel in it and register it as a kernel."}};
}

bool elsewhere(const Snapshot& snapshot, const PythonPlace& place) {
  const Text prefix = of(snapshot.python, &Python::prefix);
  return place.prefix.get() && prefix.get() && *place.prefix.get() != *prefix.get();
}

bool judge_notebooks(const Snapshot& snapshot, Answers& answers) {
  const auto notebook = of(snapshot.python, &Python::notebook);
  if (notebook.get() && elsewhere(snapshot, *notebook.get())) {
    tell_other(snapshot, *notebook.get(), "This notebook's kernel", "/python/notebook/prefix", Confidence::certain,
               answers);
    return true;
  }
  const auto kernels = of(snapshot.python, &Python::kernels);
  for (std::size_t i = 0; kernels.get() && i < kernels.get()->size(); ++i) {
    const PythonPlace& kernel = (*kernels.get())[i];
    // Only where it matters: this Python has a framework and the kernel's hasn't.
    const bool lacks = kernel.frameworks.get() && kernel.frameworks.get()->empty();
    if (!kernel.name.get() || !elsewhere(snapshot, kernel) || !lacks || imports_of(snapshot).empty()) continue;
    tell_other(snapshot, kernel, "The Jupyter kernel " + *kernel.name.get(), at("/python/kernels", i, "prefix"),
               Confidence::likely, answers);
    return true;
  }
  return false;
}

// "cp311-cp311-manylinux…" fits 3.11 only, "cp39-abi3-…" 3.9 and later, "py3-none-any" any. Nothing: not read.
std::optional<bool> fits(const std::string& tag, const std::string& python) {
  if (!tag.starts_with("cp3")) return std::nullopt;
  const auto end = tag.find('-');
  const std::string minor = tag.substr(3, end - 3);
  if (minor.empty() || !std::ranges::all_of(minor, [](unsigned char c) { return std::isdigit(c) != 0; }))
    return std::nullopt;
  const int order = knowledge::compare_versions(knowledge::major_minor_of(python), "3." + minor);
  return tag.substr(end + 1).starts_with("abi3") ? order >= 0 : order == 0;
}

bool judge_tag(const Snapshot& snapshot, const char* package, const char* path, const Text& tag, Answers& answers) {
  const Text version = of(snapshot.python, &Python::version);
  if (!tag.get() || !version.get() || !fits(*tag.get(), *version.get()).has_value()) return false;
  if (*fits(*tag.get(), *version.get())) return false;
  Finding& finding = answers.found(version_id, std::string("package:") + package);
  finding.confidence = Confidence::certain;
  finding.explanation = std::string(package) + " was installed from a wheel for another Python (" +
                        tag.get()->substr(0, tag.get()->find('-')) + "); this one is " + *version.get() +
                        ", which can't load its compiled parts.";
  finding.evidence = {seen(path, *tag.get()), seen("/python/version", *version.get())};
  finding.fix = {
      {.text = "Install the framework anew in this Python, or take another Python's folders off PYTHONPATH."}};
  return true;
}

// Keras waits for TensorFlow, and no release that is recorded has a wheel for this Python.
bool judge_releases(const Snapshot& snapshot, Answers& answers) {
  const Text version = of(snapshot.python, &Python::version);
  if (!version.get() || !snapshot.keras.get() || !imports_of(snapshot).empty()) return false;
  const auto releases = knowledge::tensorflow_releases();
  const std::string series = knowledge::major_minor_of(*version.get());
  std::string newest;
  for (const std::string& release : releases) {
    const auto needs = knowledge::tensorflow_needs(release);
    if (!needs || needs->pythons.empty()) continue;
    if (newest.empty()) newest = needs->pythons.back();
    if (std::ranges::find(needs->pythons, series) != needs->pythons.end()) return false;
  }
  if (newest.empty()) return false;
  Finding& finding = answers.found(version_id, "package:tensorflow");
  finding.confidence = Confidence::likely;
  finding.explanation =
      "Keras is installed without TensorFlow, and no recorded release of TensorFlow has a wheel for "
      "Python " +
      series + "; the newest is for " + newest + ".";
  finding.evidence = {seen("/python/version", *version.get())};
  finding.fix = {
      {.text = "Make an environment with Python " + newest + ", or let Keras run on a backend that has one."}};
  return true;
}

void run(const Snapshot& snapshot, Answers& answers) {
  const auto packages = of(snapshot.python, &Python::packages);
  const auto kernels = of(snapshot.python, &Python::kernels);
  if (!judge_notebooks(snapshot, answers)) {
    if (kernels.get())
      answers.sound(id);
    else
      answers.unknown(id, why_unknown("/python/kernels", kernels));
  }
  const bool tensorflow = judge_tag(snapshot, "tensorflow", "/tensorflow/wheel_tag",
                                    of(snapshot.tensorflow, &Tensorflow::wheel_tag), answers);
  const bool torch = judge_tag(snapshot, "torch", "/torch/wheel_tag", of(snapshot.torch, &Torch::wheel_tag), answers);
  const bool jax = judge_tag(snapshot, "jaxlib", "/jax/wheel_tag", of(snapshot.jax, &Jax::wheel_tag), answers);
  const bool releases = judge_releases(snapshot, answers);
  if (tensorflow || torch || jax || releases) return;
  if (packages.get())
    answers.sound(version_id);
  else
    answers.unknown(version_id, why_unknown("/python/packages", packages));
}

}  // namespace

Check python_environment() { return {{id, version_id}, run}; }

}  // namespace envdoctor
