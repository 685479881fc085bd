// visibility.set-too-late: a framework counts more GPUs than the variable names, so it had read it before.
#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"
#include "checks/visibility/settings.h"

namespace envdoctor::visibility_set_too_late {

using enum SymptomClass;
namespace {

constexpr const char* id = "visibility.set-too-late";

void judge_programs(const Facts& facts, Answers& answers) {
  const auto settings = visibility::shown_settings(facts);
  // The first that hides all, and yet a device is used.
  const auto hiding =
      std::ranges::find_if(settings, [&](const auto& setting) { return visibility::hides_all(facts, setting); });
  if (facts.used() && hiding != settings.end() && hiding->in_program)
    visibility::add_finding(answers, *hiding, id, Confidence::likely);
  // An import above the setting, in the same text: whether it comes too late depends on what ran in between.
  for (const visibility::Setting& setting : settings) {
    if (!setting.in_program) continue;
    for (const Symptom* import : facts.all({noted, "framework-import"})) {
      const auto *above = import->line.get(), *below = setting.shown->line.get();
      if (!above || !below || *above >= *below || !(import->source == setting.shown->source)) continue;
      visibility::add_finding(answers, setting, id, Confidence::possible);
      return;
    }
  }
}

void judge_environment(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (!variable.get()) {
    if (variable.outcome() == Outcome::absent) return answers.not_applicable(id, "CUDA_VISIBLE_DEVICES is not set");
    return answers.unknown(id, why_unknown("/env/CUDA_VISIBLE_DEVICES", variable));
  }
  const Number torch = of(snapshot.torch, &Torch::device_count);
  const Number tensorflow = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (!torch.get() && !tensorflow.get()) return answers.unknown(id, why_unknown("/torch/device_count", torch));
  const bool by_torch = torch.get() && (!tensorflow.get() || *torch.get() >= *tensorflow.get());
  const auto counted = static_cast<std::size_t>(std::max<std::int64_t>(0, by_torch ? *torch.get() : *tensorflow.get()));
  const std::size_t named = entries_of(*variable.get()).size();
  if (counted <= named) return answers.passed(id);
  Finding& finding = answers.found(id, "env:CUDA_VISIBLE_DEVICES");
  finding.confidence = Confidence::likely;
  finding.explanation = "CUDA_VISIBLE_DEVICES names " + std::to_string(named) + ", and the framework counts " +
                        std::to_string(counted) + " GPUs: it had started CUDA before the variable was set.";
  finding.evidence = {
      evidence("/env/CUDA_VISIBLE_DEVICES", *variable.get()),
      evidence(by_torch ? "/torch/device_count" : "/tensorflow/physical_gpus", std::to_string(counted))};
  finding.fix = {{.text = find_diagnosis(id)->remedy}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_environment(facts, answers);
  judge_programs(facts, answers);
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "visibility.set-too-late",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "The visibility variable was set after the driver had started",
      .claim =
          "The variable is read once, when CUDA initialises; a later change has no effect or makes initialisation "
          "fail.",
      .proof = "The framework counts more devices than the variable names, or the program imports it first.",
      .disproof = "The variable was set before the framework was imported.",
      .remedy = "Set the variable in the shell, or in the program before the first import of the framework.",
      .explains = {"usage.detected-unused", "usage.wrong-gpu"},
      .symptoms =
          {
              {{ignored, "visible-devices"}, possible},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::visibility_set_too_late
