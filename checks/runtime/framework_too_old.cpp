// runtime.framework-too-old: the framework lacks a name that a program uses, which a later release added.
#include "checks/driver/nvidia_facts.h"
#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::runtime_framework_too_old {

using enum SymptomClass;

// A library that checks the framework's version itself.
bool judge_refused(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{too_old, "framework-for-program"}});
  if (!line) return false;
  Finding& finding = answers.found_in(*line, Confidence::certain);
  const std::string name = line->detail("framework"), needed = line->detail("needed");
  finding.title = name + " is older than a library needs";
  finding.explanation = fmt::format("{} {} is installed, and {} works with {} and newer; it goes on without {}.", name,
                                    line->detail("found"), line->program.value_or("the library"), needed, name);
  finding.fix = {{.text = fmt::format("Install {} {} or newer, or a release of {} that takes this one.", name, needed,
                                      line->program.value_or("the library"))}};
  return true;
}

// The driver is of a later CUDA than the program, and no longer gives a function in the way that the program asks for.
bool judge_newer_driver(const Facts& facts, Answers& answers) {
  const Symptom* versions = nvidia::driver_serves_toolkit(facts);
  const Symptom* asked = facts.first({{missing, "driver-function"}});
  if (!versions || !asked) return false;
  const int driver = std::atoi(versions->detail("driver").c_str());
  if (driver <= std::atoi(versions->detail("toolkit").c_str())) return false;
  Finding& finding = answers.found_in(*asked, Confidence::likely);
  finding.evidence.push_back(evidence(*versions));
  finding.title = "The program is older than the driver's CUDA";
  finding.explanation = fmt::format(
      "It was built with CUDA {} and asks the driver, which serves CUDA {}, for a function that is not there in this "
      "form.",
      versions->detail("toolkit"), versions->detail("driver"));
  finding.fix = {
      {.text = fmt::format("Install a release of {} for CUDA {}.", versions->program.value_or("the program"), driver)}};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  if (judge_refused(facts, answers) || judge_newer_driver(facts, answers)) return;
  for (const auto& [line, name] : missed_names(facts)) {
    const std::string since = knowledge::first_torch_with(name);
    // An older copy in the user's folder takes precedence over the environment's.
    if (since.empty() || facts.saw({{duplicate, "package-of-user"}})) continue;
    const std::string installed = framework_version(facts, "torch");
    if (!installed.empty() && knowledge::compare_versions(installed, since) >= 0) continue;
    Finding& finding = answers.found_in(*line, installed.empty() ? Confidence::possible : Confidence::likely);
    finding.subject = "framework:torch";
    finding.title = "PyTorch is older than the program needs";
    finding.explanation =
        fmt::format("{} came with PyTorch {}{}.", name, since,
                    installed.empty() ? "; the one that runs lacks it" : fmt::format("; {} is installed", installed));
    if (!installed.empty()) finding.evidence.push_back(framework_seen(facts, "torch"));
    finding.fix = {
        {.text = fmt::format("Install PyTorch {} or newer, or a release of the program that takes this one.", since)}};
    return;
  }
  answers.not_applicable("no program asks for a name that the framework lacks");
}

Diagnosis diagnosis() {
  return {
      .id = "runtime.framework-too-old",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "The framework is older than this GPU, its CUDA or the program",
      .claim =
          "This version of the framework was released before support for the GPU, the CUDA version or a function "
          "that the program calls existed.",
      .proof = "The release is older than the CUDA, the GPU or the function that it should have.",
      .disproof = "A build of this version supports the GPU and has the function.",
      .remedy = "Update the framework.",
      .explains = {"python.broken-install", "driver.init-failed"},
      .symptoms = {{{too_old, "cuda-of-framework"}, Confidence::likely}},
      .judge = judge,
  };
}

}  // namespace envdoctor::runtime_framework_too_old
