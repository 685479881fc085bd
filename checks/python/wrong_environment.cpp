// python.wrong-environment: the active Python differs from the one that a notebook starts, or from the one that has
// the framework.
#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/python/package_facts.h"

namespace envdoctor::python_wrong_environment {

std::string list(const std::vector<std::string>& items) {
  return items.empty() ? "no framework" : fmt::format("{}", fmt::join(items, ", "));
}

std::string own_frameworks(const Snapshot& snapshot) {
  std::vector<std::string> all;
  const auto add = [&all](const char* name, const Text& version) {
    if (version.get()) all.push_back(fmt::format("{} {}", name, *version.get()));
  };
  add("tensorflow", of(snapshot.tensorflow, &Tensorflow::version));
  add("torch", of(snapshot.torch, &Torch::version));
  add("jax", of(snapshot.jax, &Jax::version));
  return list(all);
}

void report_other(const Snapshot& snapshot, const PythonPlace& place, const std::string& who, const std::string& path,
                  Confidence sure, Answers& answers) {
  Finding& finding = answers.found();
  const std::string &other = *place.prefix.get(), own = *of(snapshot.python, &Python::prefix).get();
  finding.severity = Severity::warning;
  finding.confidence = sure;
  finding.explanation = who + " runs in " + other + ", which holds " + list(place.frameworks.or_empty()) +
                        "; the inspected Python is " + own + ", which holds " + own_frameworks(snapshot) + ".";
  finding.evidence = {evidence(path, other), evidence("/python/prefix", own)};
  finding.fix = {{.text = "Run envdoctor with the Python that the notebook uses: --python " +
                          place.executable.value_or("KERNEL") +
                          ". To use this one in notebooks, install ipykernel in it and register it as a kernel."}};
}

bool elsewhere(const Snapshot& snapshot, const PythonPlace& place) {
  const Text prefix = of(snapshot.python, &Python::prefix);
  return place.prefix.get() && prefix.get() && *place.prefix.get() != *prefix.get();
}

void report_notebooks(const Snapshot& snapshot, Answers& answers) {
  const auto notebook = of(snapshot.python, &Python::notebook);
  if (notebook.get() && elsewhere(snapshot, *notebook.get())) {
    report_other(snapshot, *notebook.get(), "This notebook's kernel", "/python/notebook/prefix", Confidence::certain,
                 answers);
    return;
  }
  const auto& kernels = of(snapshot.python, &Python::kernels).or_empty();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const PythonPlace& kernel = kernels[i];
    // Only where it matters: this Python has a framework and the kernel's doesn't.
    const bool lacks = kernel.frameworks.get() && kernel.frameworks.get()->empty();
    if (!kernel.name.get() || !elsewhere(snapshot, kernel) || !lacks || imports_of(snapshot).empty()) continue;
    report_other(snapshot, kernel, "The Jupyter kernel " + *kernel.name.get(), at("/python/kernels", i, "prefix"),
                 Confidence::likely, answers);
    return;
  }
}

void report_activated(const Snapshot& snapshot, Answers& answers) {
  const auto place = of(snapshot.python, &Python::activated);
  if (!place.get() || !elsewhere(snapshot, *place.get())) return;
  const std::string &other = *place.get()->prefix.get(), own = *of(snapshot.python, &Python::prefix).get();
  Finding& finding = answers.found_on("env:VIRTUAL_ENV");
  finding.severity = Severity::warning;
  finding.confidence = Confidence::certain;
  finding.title = "VIRTUAL_ENV names another environment than the Python on PATH";
  finding.explanation = "VIRTUAL_ENV names " + other + ", which holds " + list(place.get()->frameworks.or_empty()) +
                        "; python3 on PATH is that of " + own + ", which holds " + own_frameworks(snapshot) +
                        ". Programs start the one on PATH.";
  finding.evidence = {evidence("/python/activated/prefix", other), evidence("/python/prefix", own)};
  finding.fix = {{.text = "Activate that environment again, so that it comes first on PATH; or name it: --python.",
                  .command = ". \"" + other + "/bin/activate\""}};
}

// All facts come from texts.
bool known_from_texts(const Snapshot& snapshot) { return snapshot.texts.get() && !snapshot.probes.get(); }

// "2.4.0+cu118" and "2.4.0" are one release.
std::string release_of(const std::string& version) { return version.substr(0, version.find_first_of("+-")); }

// A text's contradicting value of this field; null: none.
const Contradiction* contradicted(const Snapshot& snapshot, const std::string& path, const std::string& known) {
  for (const Contradiction& one : snapshot.contradictions.or_empty()) {
    if (one.path.is(path) && release_of(one.value.or_empty()) != release_of(known)) return &one;
  }
  return nullptr;
}

// pip lists one release of a framework, but the program shows another: pip belongs to another Python. Not for
// PyTorch: its reports list the packages of several installers.
void report_other_release(const Snapshot& snapshot, Answers& answers) {
  if (!known_from_texts(snapshot)) return;
  const auto& packages = of(snapshot.python, &Python::packages).or_empty();
  const std::pair<const char*, const Text&> running[] = {{"tensorflow", of(snapshot.tensorflow, &Tensorflow::version)},
                                                         {"jax", of(snapshot.jax, &Jax::version)}};
  for (const auto& [name, version] : running) {
    const auto listed = packages.find(name);
    const std::string* installed = listed == packages.end() ? nullptr : &listed->second;
    if (!version.get() || !installed || release_of(*installed) == release_of(*version.get())) continue;
    Finding& finding = answers.found_on(std::string("framework:") + name);
    finding.confidence = Confidence::likely;
    finding.explanation = fmt::format(
        "The program that ran has {} {}, and the package list shows {}: the list is that of another Python.", name,
        *version.get(), *installed);
    finding.evidence = {evidence(std::string("/") + name + "/version", *version.get()),
                        evidence(std::string("/python/packages/") + name, *installed)};
    finding.fix = {{.text = "Install with the very Python that runs the program; in a notebook: %pip install.",
                    .command = "python -c \"import sys; print(sys.executable)\""}};
    return;
  }
}

// Two programs in one text run under two Pythons with two releases of a framework, but only one finds the GPU.
void report_two_pythons(const Snapshot& snapshot, Answers& answers) {
  if (!known_from_texts(snapshot)) return;
  const Text torch = of(snapshot.torch, &Torch::version), python = of(snapshot.python, &Python::version);
  if (!torch.get() || !python.get()) return;
  const Contradiction* other = contradicted(snapshot, "/torch/version", *torch.get());
  const Contradiction* interpreter = contradicted(snapshot, "/python/version", *python.get());
  if (!other || !interpreter || !contradicted(snapshot, "/torch/cuda_available", "")) return;
  Finding& finding = answers.found_on("framework:torch");
  finding.confidence = Confidence::likely;
  finding.explanation =
      fmt::format("Two Pythons speak here: {} with PyTorch {} and {} with PyTorch {}; one of them finds the GPU.",
                  *python.get(), *torch.get(), interpreter->value.or_empty(), other->value.or_empty());
  finding.evidence = {evidence("/torch/version", *torch.get()), evidence("/python/version", *python.get())};
  finding.fix = {{.text = "Start the program with the Python that finds the GPU: python -m PROGRAM, or its own "
                          "environment's command."}};
}

void judge(const Facts& facts, Answers& answers) {
  report_other_release(facts.snapshot(), answers);
  report_two_pythons(facts.snapshot(), answers);
  const auto& kernels = of(facts.snapshot().python, &Python::kernels);
  report_missing_module(facts, answers);
  report_notebooks(facts.snapshot(), answers);
  report_activated(facts.snapshot(), answers);
  if (kernels.get()) return answers.passed();
  answers.unknown(why_unknown("/python/kernels", kernels));
}

Diagnosis diagnosis() {
  return {
      .id = "python.wrong-environment",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The program runs in another Python environment",
      .claim = "The framework with GPU support is installed in one environment and another one is active.",
      .proof = "The interpreter that ran lacks what the environment's package list holds.",
      .disproof = "The active interpreter's own package list contains the GPU build.",
      .remedy = "Activate the right environment, or install the framework in this one.",
      .explains = {"usage.detected-unused", "runtime.cpu-only-build"},
      .symptoms = {helped_by("no-user-packages"),
                   {{SymptomClass::mismatch, "pythons"}, Confidence::likely},
                   {{SymptomClass::duplicate, "package-of-user"}, Confidence::possible}},
      .judge = judge,
  };
}

}  // namespace envdoctor::python_wrong_environment
