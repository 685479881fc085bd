// usage.input-bound: the share of a step that is spent waiting for data, as training loops report it.
#include "checks/engine/rule.h"

namespace envdoctor::usage_input_bound {

using enum SymptomClass;

// A disk is at work all the time, and the GPU beside it hardly ever.
bool judge_disk(const Facts& facts, Answers& answers) {
  constexpr std::int64_t hardly_percent = 20;
  const Symptom* disk = facts.first({{exhausted, "disk"}});
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  const bool idle = !devices.empty() && std::ranges::all_of(devices, [](const NvidiaDevice& one) {
    return one.utilization_percent.get() && *one.utilization_percent.get() <= hardly_percent;
  });
  if (!disk || !idle) return false;
  Finding& finding = answers.found_in(*disk, Confidence::likely);
  finding.evidence.push_back(
      evidence("/nvidia/devices/0/utilization_percent", std::to_string(*devices.front().utilization_percent.get())));
  finding.explanation = fmt::format(
      "The disk {} is at work all the time and the GPU hardly ever: the program waits for files to be read.",
      disk->detail("device"));
  finding.fix = {{.text = "Keep the data on a faster disk or in memory, or store it in fewer and larger files."}};
  return true;
}

void judge(const Facts& facts, Answers& answers) {
  if (judge_disk(facts, answers)) return;
  const auto& steps = facts.all({noted, "step-times"});
  if (steps.empty()) return answers.not_applicable("usage.input-bound", "no program tells the times of its steps");
  const Symptom& last = *steps.back();
  const double step = std::atof(last.detail("step").c_str()), data = std::atof(last.detail("data").c_str());
  if (step > 0 && data > 0.5 * step)
    add_finding(answers, last, "usage.input-bound", Confidence::likely);
  else
    answers.passed("usage.input-bound");
}

// Lightning gives this hint to everyone.
bool no_hint_of_lightning(const Facts& facts) { return !facts.with({slow, "data-loading"}, "program", "lightning"); }

// The user says or a monitor shows that the GPU is idle, and the text mentions its input.
bool input_is_named(const Facts& facts) { return facts.saw({{noted, "slow-input"}}); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "usage.input-bound",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The GPU waits for its input",
      .claim = "Loading and preparing data takes longer than the step on the GPU.",
      .proof = "The averaged time for data is more than half of the step's.",
      .disproof = "The GPU's utilisation stays high with synthetic data and with real data alike.",
      .remedy = "Load in parallel, prefetch, cache, or prepare the data beforehand.",
      .symptoms = {{{slow, "data-loading"}, likely, no_hint_of_lightning},
                   {{slow, "data-loading-said"}, possible},
                   {{noted, "gpu-idle"}, possible, input_is_named},
                   {{noted, "gpu-bursts"}, possible, input_is_named}},
      .judge = judge,
  };
}

}  // namespace envdoctor::usage_input_bound
