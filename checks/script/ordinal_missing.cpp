// script.ordinal-missing: a device number that this host does not have.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_ordinal_missing {

// A number that the script's own CUDA_VISIBLE_DEVICES leaves out, whatever the host has.
void judge_own_choice(const std::vector<ScriptEvent>& events, Answers& answers) {
  const ScriptEvent* choice = nullptr;
  const bool divided = std::ranges::any_of(events, [](const ScriptEvent& event) {
    return event.name.ends_with("logical_device_configuration") || event.name.ends_with("virtual_device_configuration");
  });
  if (divided) return;  // one GPU is several then
  for (const ScriptEvent& event : events) {
    if (chooses_cuda_devices(event)) {
      choice = event.sure && event.has_value ? &event : nullptr;
      continue;
    }
    const auto numbers = gpu_numbers(event);
    if (!choice || numbers.empty()) continue;
    const std::size_t left = gpu_numbers(*choice).size();
    if (*numbers.rbegin() < left) continue;
    Finding& finding =
        found_in_script(answers, event,
                        "GPU " + std::to_string(*numbers.rbegin()) + " is named, and CUDA_VISIBLE_DEVICES='" +
                            choice->value + "' (" + place_of(*choice->event) + ") leaves " +
                            (left == 0 ? std::string("none") : std::to_string(left)) + ", which programs count from 0.",
                        left == 0 ? "Leave the GPUs visible, or place nothing on one."
                                  : "Count from 0 among those that CUDA_VISIBLE_DEVICES leaves.");
    finding.evidence.push_back(evidence(*choice->event, choice->name + " = '" + choice->value + "'"));
    finding.severity = Severity::error;
  }
}

void judge(const Facts& facts, Answers& answers) {
  const auto& pci = facts.snapshot().pci;
  const auto gpus = gpus_of(facts.snapshot());
  if (script_read(facts.snapshot()).is(true) && !pci.get() && gpus.empty())
    return answers.unknown(why_unknown("/pci", pci));
  judge_events(facts, answers, [&](const ScriptEvent& event) {
    const auto numbers = gpu_numbers(event);
    if (numbers.empty() || *numbers.rbegin() < gpus.size()) return;
    const bool here = meant_for_here(facts.snapshot());
    Finding& finding = found_in_script(
        answers, event,
        "GPU " + std::to_string(*numbers.rbegin()) + " is named, and this host has " +
            (gpus.empty() ? std::string("none") : std::to_string(gpus.size()) + ", counted from 0") + ".",
        "Name no number in the script; choose when starting it: envdoctor run --device gpu:N -- CMD.");
    finding.confidence = std::min(finding.confidence, Confidence::likely);
    if (!here) finding.explanation += " The script may be meant for another host; --here judges it for this one.";
    finding.severity = !here ? Severity::info : chooses_cuda_devices(event) ? Severity::error : Severity::warning;
  });
  judge_script(facts, answers, [&](const std::vector<ScriptEvent>& events) { judge_own_choice(events, answers); });
}

Diagnosis diagnosis() {
  return {
      .id = "script.ordinal-missing",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script names a GPU that this host doesn't have",
      .claim = "The number is not below the number of GPUs here.",
      .proof = "The number that the script names, and the number of GPUs that are listed.",
      .disproof = "The host where the script is to run has that many GPUs.",
      .remedy = "Name no number in the script; choose the GPU when starting it.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_ordinal_missing
