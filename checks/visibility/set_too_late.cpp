// visibility.set-too-late: a framework counts more GPUs than the variable names, so it had read the variable before it
// was set.
#include "checks/facts/visible.h"
#include "checks/visibility/settings.h"

namespace envdoctor::visibility_set_too_late {

using enum SymptomClass;

// "GPU 0,1,2,3: NVIDIA GeForce RTX 2080 Ti", below a line of the program that makes one GPU visible: it names more.
const Symptom* longer_list(const Facts& facts, const visibility::Setting& setting) {
  const auto named = entries_of(setting.value).size();
  for (const Symptom* line : facts.all({noted, "gpus-of-program"})) {
    const auto listed = entries_of(line->detail("numbers")).size();
    if (named > 0 && listed > named && line->line.or_empty() > setting.shown->line.or_empty()) return line;
  }
  return nullptr;
}

// ">>> os.environ['CUDA_VISIBLE_DEVICES'] = '1'", behind which PyTorch counts more devices than that names.
void judge_counts(const Facts& facts, const std::vector<visibility::Setting>& settings, Answers& answers) {
  for (const Symptom* counted : facts.all({noted, "counted-gpus"})) {
    const visibility::Setting* last = nullptr;
    for (const visibility::Setting& one : settings) {
      const std::string& text = one.shown->text.or_empty();
      const bool typed = text.starts_with(">>>") || text.starts_with("In [");
      if (one.in_program && typed && one.shown->line.or_empty() < counted->line.or_empty() &&
          one.shown->source == counted->source && (!last || one.shown->line.or_empty() > last->shown->line.or_empty()))
        last = &one;
    }
    const auto named = last && !visibility::hides_all(facts, *last) ? entries_of(last->value).size() : 0;
    if (!last || std::strtoull(counted->detail("count").c_str(), nullptr, 10) <= named) continue;
    Finding& finding = visibility::found_in(answers, *last, Confidence::likely);
    finding.evidence.push_back(evidence(*counted));
    finding.explanation =
        "PyTorch still counts more devices than the variable names: CUDA had been started before it was set.";
    return;
  }
}

void judge_programs(const Facts& facts, Answers& answers) {
  const auto settings = visibility::shown_settings(facts);
  judge_counts(facts, settings, answers);
  // The first setting that hides all devices, although a device is used.
  const auto hiding =
      std::ranges::find_if(settings, [&](const auto& setting) { return visibility::hides_all(facts, setting); });
  if (facts.used() && hiding != settings.end() && hiding->in_program)
    visibility::found_in(answers, *hiding, Confidence::likely);
  // An import above the setting, in the same text: whether it comes too late depends on what ran in between.
  for (const visibility::Setting& setting : settings) {
    if (!setting.in_program) continue;
    if (const Symptom* longer = longer_list(facts, setting)) {
      visibility::found_in(answers, setting, Confidence::likely).evidence.push_back(evidence(*longer));
      return;
    }
    for (const Symptom* import : facts.all({noted, "framework-import"})) {
      const auto *above = import->line.get(), *below = setting.shown->line.get();
      if (!above || !below || *above >= *below || !(import->source == setting.shown->source)) continue;
      visibility::found_in(answers, setting, Confidence::possible);
      return;
    }
  }
}

void judge_environment(const Snapshot& snapshot, Answers& answers) {
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (variable.outcome() == Outcome::absent) return answers.not_applicable("CUDA_VISIBLE_DEVICES is not set");
  if (!variable.get()) return answers.unknown(why_unknown("/env/CUDA_VISIBLE_DEVICES", variable));
  const Number torch = of(snapshot.torch, &Torch::device_count);
  const Number tensorflow = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (!torch.get() && !tensorflow.get()) return answers.unknown(why_unknown("/torch/device_count", torch));
  const bool by_torch = torch.get() && torch.or_empty() >= tensorflow.value_or(torch.or_empty());
  const auto counted = by_torch ? *torch.get() : *tensorflow.get();
  const auto named = std::ssize(entries_of(*variable.get()));
  if (counted <= named) return answers.passed();
  Finding& finding = answers.found_on("env:CUDA_VISIBLE_DEVICES");
  finding.confidence = Confidence::likely;
  finding.explanation = fmt::format(
      "CUDA_VISIBLE_DEVICES names {}, and the framework counts {} GPUs: it had started CUDA before the variable was "
      "set.",
      named, counted);
  finding.evidence = {
      evidence("/env/CUDA_VISIBLE_DEVICES", *variable.get()),
      evidence(by_torch ? "/torch/device_count" : "/tensorflow/physical_gpus", std::to_string(counted))};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

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
      .judge_host = judge_environment,
      .judge = judge_programs,
  };
}

}  // namespace envdoctor::visibility_set_too_late
