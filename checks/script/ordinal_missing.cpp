// script.ordinal-missing: a device number that this host does not have.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_ordinal_missing {

void judge(const Facts& facts, Answers& answers) {
  const auto& pci = facts.snapshot().pci;
  const auto gpus = gpus_of(facts.snapshot());
  if (script_read(facts.snapshot()).is(true) && !pci.get() && gpus.empty())
    return answers.unknown(why_unknown("/pci", pci));
  judge_events(facts, answers, [&](const ScriptEvent& event) {
    const auto numbers = gpu_numbers(event);
    if (numbers.empty() || *numbers.rbegin() < gpus.size()) return;
    Finding& finding = found_in_script(
        answers, event,
        "GPU " + std::to_string(*numbers.rbegin()) + " is named, and this host has " +
            (gpus.empty() ? std::string("none") : std::to_string(gpus.size()) + ", counted from 0") + ".",
        "Name no number in the script; choose when starting it: envdoctor run --device gpu:N -- CMD.");
    finding.confidence = std::min(finding.confidence, Confidence::likely);
    if (chooses_cuda_devices(event)) finding.severity = Severity::error;
  });
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
