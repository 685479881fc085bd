// visibility.framework-hidden: TensorFlow finds GPUs and is told to use none, or a variable leaves JAX the CPU alone.
#include <algorithm>

#include "checks/engine/rule.h"
#include "checks/facts/tensorflow_gpus.h"

namespace envdoctor::visibility_framework_hidden {

using enum SymptomClass;

// JAX_PLATFORMS=cpu, on a machine with a GPU.
bool hidden_from_jax(const Snapshot& snapshot, Answers& answers) {
  if (!of(snapshot.jax, &Jax::backend).is("cpu") || !has_any_gpu(snapshot).is(true)) return false;
  for (const char* name : {"JAX_PLATFORMS", "JAX_PLATFORM_NAME"}) {
    if (!env_of(snapshot, name).is("cpu")) continue;
    Finding& finding = answers.found_on(std::string("env:") + name);
    finding.severity = Severity::warning;
    finding.confidence = Confidence::certain;
    finding.explanation = std::string(name) + " leaves JAX the CPU alone.";
    finding.evidence = {evidence(std::string("/env/") + name, "cpu"), evidence("/jax/backend", "cpu")};
    finding.fix = {{.text = "Unset the variable.", .command = std::string("unset ") + name}};
    return true;
  }
  return false;
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (hidden_from_jax(snapshot, answers)) return;
  const Tensorflow* tensorflow = tensorflow_with_gpus(snapshot, answers);
  if (!tensorflow) return;
  const std::string physical = std::to_string(*tensorflow->physical_gpus.get());
  const Number& visible = tensorflow->visible_gpus;
  if (!visible.get()) return answers.unknown(why_unknown("/tensorflow/visible_gpus", visible));
  if (*visible.get() > 0) return answers.passed();
  Finding& finding = answers.found_on("framework:tensorflow");
  finding.confidence = Confidence::certain;
  finding.explanation = "TensorFlow finds " + physical +
                        " GPUs and is told to use none, before any program of yours has run: something that Python "
                        "loads at its start (sitecustomize, a .pth file) calls set_visible_devices.";
  finding.evidence = {evidence("/tensorflow/physical_gpus", physical), evidence("/tensorflow/visible_gpus", "0")};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

// A comparison of devices: the variable is set for some of the commands only.
bool for_comparison(const Facts& facts) {
  return facts.all({noted, "error-of-precision"}).size() >= 2 ||
         facts.with({noted, "variable-of-one-command"}, "name", "JAX_PLATFORM");
}

bool hides(const Facts& facts) { return not_used(facts) && !for_comparison(facts); }

// JAX lists its CPU for the program that hides the GPU, and another command finds the GPU.
bool hides_from_one_program(const Facts& facts) {
  const auto& hiding = facts.all({hidden, "gpu-by-program"});
  return !hides(facts) && !for_comparison(facts) && facts.saw({{present, "jax-cpu-device"}}) &&
         std::ranges::any_of(hiding, [](const Symptom* line) { return line->program.is("jax"); });
}

// A program was started with one of several cards and then asked for another one.
void judge_chosen(const Facts& facts, Answers& answers) {
  const Symptom* chosen = facts.first({{noted, "gpu-chosen-for-program"}});
  const Symptom* wanted = facts.first({{missing, "listed-device"}});
  if (!chosen || !wanted || chosen->detail("value").find(',') != std::string::npos ||
      of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().size() < 2)
    return;
  Finding& finding = answers.found_in(*chosen, Confidence::likely);
  finding.evidence.push_back(evidence(*wanted));
  finding.explanation = fmt::format("The program was started with card {} alone, so that {} doesn't exist for it.",
                                    chosen->detail("value"), wanted->detail("device"));
  finding.fix = {{.text = "Start it without the option that chooses a card, or name all cards that it shall use."}};
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "visibility.framework-hidden",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "The program itself hides the GPUs from the framework",
      .claim = "A call in the program selects no GPU, while the driver lists one.",
      .proof = "A call in the program, or a framework's variable, leaves it no GPU.",
      .disproof = "The framework's list of visible devices holds a GPU.",
      .remedy = "Remove the call, or name the device in it.",
      .explains = {"usage.detected-unused"},
      .symptoms =
          {
              {{hidden, "gpu-by-program"}, likely, hides},
              {{hidden, "gpu-by-program"}, possible, hides_from_one_program},
              {{hidden, "gpu-by-accelerate"}, likely},
          },
      .judge_host = judge,
      .judge = judge_chosen,
  };
}

}  // namespace envdoctor::visibility_framework_hidden
