#include "checks/python/package_facts.h"

#include <algorithm>

#include "checks/facts/imports.h"
#include "checks/facts/version_range.h"
#include "knowledge/frameworks/device_calls.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor {

namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// The environment's package list has it, but the interpreter that ran does not.
bool is_listed(const Facts& facts, const std::string& module) {
  const bool torch = module == "torch";
  return package_installed(facts.snapshot(), torch ? "pytorch" : module).is(true) ||
         package_installed(facts.snapshot(), module).is(true) ||
         (torch && facts.saw({{SymptomClass::noted, "cpu-build"}}));
}

void report_unmet(const Snapshot& snapshot, const char* id, const Requirement& need, const std::string& consequence,
                  Answers& answers) {
  Finding& finding = answers.found(id, "package:" + need.name);
  const Flag well = imports_well(snapshot, framework_of_package(need.by));
  // It works anyway: the range is stricter than the code.
  finding.severity = well.is(true) ? Severity::warning : Severity::error;
  finding.confidence = well.is(false) ? Confidence::certain : well.is(true) ? Confidence::possible : Confidence::likely;
  finding.explanation =
      need.by + " requires " + need.name + " " + need.range + "; " + need.installed + " is installed. " + consequence;
  finding.evidence = need.evidence;
  finding.fix = {{.text = "Install a version in the required range.",
                  .command = pip_install(snapshot, "\"" + need.name + need.range + "\"")}};
}

}  // namespace

std::vector<Requirement> requirements(const Facts& facts) {
  std::vector<Requirement> all;
  const auto& needs = of(facts.snapshot().python, &Python::requirements).or_empty();
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const PackageRequirement& need = needs[i];
    if (!need.by.get() || !need.name.get() || !need.range.get()) continue;
    Requirement& one =
        all.emplace_back(Requirement{.by = *need.by.get(), .name = *need.name.get(), .range = *need.range.get()});
    one.evidence = {evidence(at("/python/requirements", i, "range"), one.range)};
    if (need.installed.outcome() == Outcome::absent) one.met = false;
    if (!need.installed.get()) continue;
    one.installed = *need.installed.get();
    one.met = in_range(one.installed, one.range);
    one.evidence.push_back(evidence(at("/python/requirements", i, "installed"), one.installed));
  }
  for (const Symptom* conflict : facts.all({SymptomClass::mismatch, "package-version"})) {
    const std::string by = conflict->detail("package"), name = conflict->detail("needs");
    const auto known = std::ranges::find_if(all, [&](const Requirement& r) { return r.by == by && r.name == name; });
    if (known == all.end())
      all.push_back({.by = by, .name = name, .met = false, .evidence = {evidence(*conflict)}, .symptom = conflict});
    else if (!known->met.is(true))
      known->evidence.push_back(evidence(*conflict));
  }
  return all;
}

std::string listed_version(const Snapshot& snapshot, const std::string& name) {
  const auto& packages = of(snapshot.python, &Python::packages).or_empty();
  const auto found = packages.find(name);
  return found == packages.end() ? "" : found->second;
}

std::string release_of(const std::string& version) {
  const bool between = version.find(".dev") != version.npos || version.find("a0") != version.npos;
  return between ? "" : version.substr(0, version.find('+'));
}

std::string pip_install(const Snapshot& snapshot, const std::string& what) {
  const std::string python = of(snapshot.python, &Python::executable).or_empty();
  const std::string prefix = of(snapshot.python, &Python::prefix).or_empty();
  const Text installer = of(snapshot.python, &Python::installer);
  if (python.empty() || installer.outcome() == Outcome::absent) return {};
  const std::string pip = "\"" + python + "\" -m pip install " + what;
  if (installer.is("uv")) return "uv pip install --python \"" + python + "\" " + what;
  if (installer.is("ensurepip")) return "\"" + python + "\" -m ensurepip && " + pip;
  if (installer.is("conda"))
    return prefix.empty() ? "" : "conda install --yes --prefix \"" + prefix + "\" pip && " + pip;
  if (!installer.is("pixi")) return pip;
  // pixi removes packages that are not in its manifest at its next run; it takes names and versions, none of pip's
  // options.
  const auto folder = prefix.find("/.pixi/envs/");
  if (folder == prefix.npos || what.find("--") != what.npos) return {};
  const std::string environment = prefix.substr(folder + 12);
  return "pixi add --manifest-path \"" + prefix.substr(0, folder) + "\" " +
         (environment == "default" ? "" : "--feature " + environment + " ") + "--pypi " + what;
}

void install_by_pip(const Snapshot& snapshot, const std::string& what, Fix& fix, const std::string& first) {
  fix.command = pip_install(snapshot, what);
  if (of(snapshot.python, &Python::executable).or_empty().empty())
    fix.text += " In the program's Python environment: " + first + "pip install " + what;
}

std::string versions_asked_for(const Facts& facts, Kind kind, std::string (*read)(const std::string& text)) {
  for (const Symptom* line : facts.all(kind))
    if (std::string wanted = read(line->text.or_empty()); !wanted.empty()) return wanted;
  return {};
}

void exchange_by_pip(const Snapshot& snapshot, const std::string& removed, const std::string& what, Fix& fix) {
  install_by_pip(snapshot, what, fix, "pip uninstall --yes " + removed + " && ");
  if (fix.command.empty()) return;
  const std::string python = of(snapshot.python, &Python::executable).or_empty();
  const Text installer = of(snapshot.python, &Python::installer);
  const std::string pip = installer.is("uv") ? "uv pip uninstall --python \"" + python + "\" "
                                             : "\"" + python + "\" -m pip uninstall --yes ";
  fix.command =
      (installer.is("ensurepip") ? "\"" + python + "\" -m ensurepip && " : "") + pip + removed + " && " + fix.command;
}

bool judge_requirements(const Facts& facts, std::initializer_list<std::string_view> packages,
                        const std::string& consequence, Answers& answers) {
  const auto& known = of(facts.snapshot().python, &Python::requirements);
  bool asked = false, found = false;
  for (const Requirement& need : requirements(facts)) {
    if (need.symptom || !is_one_of(need.name, packages)) continue;
    asked = true;
    if (need.installed.empty() || !need.met.is(false)) continue;
    found = true;
    report_unmet(facts.snapshot(), answers.id, need, consequence, answers);
  }
  if (found) return true;
  if (!known.get())
    answers.unknown(why_unknown("/python/requirements", known));
  else if (asked)
    answers.passed();
  else
    answers.not_applicable("no framework here asks for such a package");
  return !known.get();
}

std::optional<MissingModule> missing_module(const Facts& facts) {
  for (const Symptom* symptom : facts.all({SymptomClass::missing, "python-module"})) {
    const std::string module = symptom->detail("module");
    if (is_one_of(module, {"tensorflow", "torch", "jax", "jaxlib", "keras", "tensorflow_gpu"}))
      return MissingModule{symptom, "python.wrong-environment",
                           is_listed(facts, module) ? Confidence::likely : Confidence::possible};
    // The environment's list holds it: the Python that ran is another one.
    if (is_one_of(module, {"cudf",         "cuml",    "cugraph",   "rmm",         "cupy",       "cuspatial",
                           "numba",        "xgboost", "lightgbm",  "catboost",    "paddle",     "onnxruntime",
                           "pyopencl",     "pycuda",  "vllm",      "torchvision", "torchaudio", "bitsandbytes",
                           "transformers", "triton",  "diffusers", "flax"}) &&
        is_listed(facts, module))
      return MissingModule{symptom, "python.wrong-environment", Confidence::likely};
    // The layer that drives the GPU is a package of its own, which another environment may hold.
    if (is_one_of(module, {"torch_directml", "torch_xla", "torch_npu", "torch_musa", "intel_extension_for_pytorch"}))
      return MissingModule{symptom, "python.wrong-environment", Confidence::possible};
    if (knowledge::call_that_raises(module)) continue;  // the program is older than the framework
    if (is_one_of(module.substr(0, module.find('.')),
                  {"tensorflow", "torch", "jaxlib", "_pywrap_tensorflow_internal", "_pywrap_tensorflow"}))
      return MissingModule{symptom, "python.broken-install"};
    if (module.starts_with("keras.")) return MissingModule{symptom, "keras.version-mismatch"};
  }
  return std::nullopt;
}

void report_missing_module(const Facts& facts, Answers& answers) {
  const auto module = missing_module(facts);
  if (module && module->diagnosis == answers.id) answers.found_in(*module->symptom, module->confidence);
}

bool asks_for_older_release(const Symptom& line) {
  const std::string wanted = line.detail("wanted"), first = line.detail("oldest");
  const std::string& oldest = first.empty() ? line.detail("newest") : first;
  return !wanted.empty() && !oldest.empty() && knowledge::compare_versions(wanted, oldest) < 0;
}

const Symptom* passed_over_by_old_pip(const Facts& facts) {
  for (const Symptom* line : facts.all({SymptomClass::missing, "package-version"})) {
    const std::string newest = line->detail("newest");
    if (line->detail("requirement").starts_with("tensorflow") && !asks_for_older_release(*line) &&
        (newest == "1.14.0" || newest == "2.0.0b0" || newest == "2.0.0b1"))
      return line;
  }
  return nullptr;
}

}  // namespace envdoctor
