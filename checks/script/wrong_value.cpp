// script.wrong-value: a call or variable of devices gets an invalid value.
#include "checks/engine/rule.h"
#include "checks/facts/selection.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_wrong_value {

// "cuda:0" and "gpu1" are names of frameworks, and quotes count as letters: for CUDA all of these name no device.
bool names_no_device(const std::string& value) {
  const auto entries = entries_of(value);
  return std::ranges::any_of(entries, [](const std::string& entry) {
    std::string lower = entry;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ((lower.starts_with("cuda") || lower.starts_with("gpu") || lower.starts_with("/gpu")) &&
            !entry.starts_with("GPU-")) ||
           entry.starts_with('"') || entry.starts_with('\'');
  });
}

void judge(const Facts& facts, Answers& answers) {
  judge_events(facts, answers, [&](const ScriptEvent& event) {
    if (!chooses_cuda_devices(event) || !event.has_value || !names_no_device(event.value)) return;
    found_in_script(answers, event,
                    "CUDA_VISIBLE_DEVICES takes numbers and UUIDs; '" + event.value +
                        "' names none, and CUDA then shows no GPU at all.",
                    "Write the number alone: '0', or '0,1'.");
  });
  judge_calls(facts, answers);
}

Diagnosis diagnosis() {
  return {
      .id = "script.wrong-value",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script gives a call or variable what it does not take",
      .claim = "The value is of the wrong kind: the call raises, or chooses something else than it says.",
      .proof = "The value stands in the script.",
      .disproof = "The value is another when the script runs.",
      .remedy = "Write a value of the right kind.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_wrong_value
