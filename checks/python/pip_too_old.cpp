// python.pip-too-old: this pip doesn't know the tags of current wheels and ignores them.
#include "checks/engine/rule.h"
#include "checks/python/package_facts.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::python_pip_too_old {

using enum SymptomClass;

// manylinux2014 came with pip 19.3, manylinux_2_NN with 20.3 (PEP 599, PEP 600).
constexpr const char* knows_2014 = "19.3";
constexpr const char* knows_all = "20.3";

struct Pip {
  std::string version{};
  std::string python{};  // the one whose pip it is, where it says so
  std::optional<Evidence> seen{};
};

Pip pip_of(const Facts& facts) {
  const auto& packages = of(facts.snapshot().python, &Python::packages).or_empty();
  if (const auto pip = packages.find("pip"); pip != packages.end())
    return {pip->second, "", evidence("/python/packages/pip", pip->second)};
  for (const Symptom* line : facts.all({noted, "pip-version"})) {
    if (const std::string version = line->detail("version"); !version.empty())
      return {version, line->detail("python"), evidence(*line)};
  }
  return {};
}

// "3.8" for the tag cp38; empty: the wheel is for any Python.
std::string python_of(const Symptom& wheel) {
  const std::string tag = wheel.detail("python");
  return tag.starts_with("cp3") ? "3." + tag.substr(3) : "";
}

// The wheel is for this Python, and its platform's tag came with a later pip than this.
bool tag_is_newer(const Symptom& wheel, const std::string& python, const Pip& pip) {
  const std::string platform = wheel.detail("platform"), of_wheel = python_of(wheel);
  const bool old_tag = platform.find("linux1_") != platform.npos || platform.find("linux2010_") != platform.npos;
  const bool from_2014 = platform.find("linux2014_") != platform.npos;
  const bool numbered = platform.find("manylinux_") != platform.npos;
  if (old_tag || (!from_2014 && !numbered) ||
      (!of_wheel.empty() && knowledge::major_minor_of(pip.python.empty() ? python : pip.python) != of_wheel))
    return false;
  return knowledge::compare_versions(pip.version, from_2014 ? knows_2014 : knows_all) < 0;
}

void judge(const Facts& facts, Answers& answers) {
  if (const Symptom* ends = passed_over_by_old_pip(facts); ends && !facts.saw({{unsupported, "python-version"}})) {
    Finding& finding = answers.found_in(*ends, Confidence::likely);
    finding.explanation = "The list of releases that pip sees ends with " + ends->detail("newest") +
                          ": those that came after have wheels with a tag (manylinux2010) that only pip 19.0 and later "
                          "take.";
    finding.fix = {{.text = "Update pip, then install again.", .command = "python -m pip install --upgrade pip"}};
    return;
  }
  const Pip pip = pip_of(facts);
  if (!pip.seen) return answers.unknown("the version of pip is not known");
  if (knowledge::compare_versions(pip.version, knows_all) >= 0) return answers.passed();
  const Symptom* refused = facts.first({{unsupported, "wheel"}, {missing, "package-version"}});
  if (!refused) return answers.not_applicable("pip refused no wheel");
  const auto& asked = facts.all({missing, "package-version"});
  if (refused->is({missing, "package-version"}) &&
      std::ranges::any_of(asked, [](const Symptom* line) { return asks_for_older_release(*line); }))
    return answers.not_applicable("the release that was asked for is older than all for this Python");
  // A Python that is itself too old or too new finds no wheel with any pip.
  const Text python = of(facts.snapshot().python, &Python::version);
  if (facts.saw({{unsupported, "python-version"}}) ||
      (python.get() && knowledge::compare_versions(*python.get(), "3.6") < 0))
    return answers.not_applicable("no wheel is for this Python");
  const bool very_old = knowledge::compare_versions(pip.version, knows_2014) < 0;
  const bool newer_tag = refused->is({unsupported, "wheel"}) && tag_is_newer(*refused, python.or_empty(), pip);
  Finding& finding = answers.found_in(*refused, very_old || newer_tag ? Confidence::likely : Confidence::possible);
  finding.evidence.push_back(*pip.seen);
  finding.explanation = fmt::format(
      "pip {} was released before the tags that today's wheels carry, so it passes over them as if they weren't there; "
      "pip {} knows them.",
      pip.version, knows_all);
  finding.fix = {{.text = "Update pip, then install again.", .command = "python -m pip install --upgrade pip"}};
}

Diagnosis diagnosis() {
  return {
      .id = "python.pip-too-old",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "pip is too old for the framework's wheels",
      .claim = "This pip doesn't know the platform tags of current wheels, so it finds no package, or an old one.",
      .proof = "pip is older than 20.3 and finds no wheel, or refuses one.",
      .disproof = "A current pip finds none either.",
      .remedy = "Update pip (python -m pip install --upgrade pip) and install again.",
      .explains = {"python.version-unsupported", "python.broken-install"},
      .judge = judge,
  };
}

}  // namespace envdoctor::python_pip_too_old
