// script.device-config-too-late: devices are configured after the script has started them.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_device_config_too_late {

void judge(const Facts& facts, Answers& answers) {
  judge_script(facts, answers, [&](const std::vector<ScriptEvent>& events) {
    for (const LateEvent& late : late_events(events)) {
      if (!late.call) continue;
      Finding& finding = found_in_script(answers, *late.event,
                                         late.event->name + " comes after " + late.after->name + " (" +
                                             place_beside(*late.after, *late.event) +
                                             "), which starts the devices: it " + late.call->says + ".",
                                         late.call->instead);
      if (late.call->label == "no effect") finding.severity = Severity::warning;
      // Where the call would change nothing, as on a host without a GPU to hide, it doesn't raise either.
      finding.confidence = std::min(finding.confidence, Confidence::likely);
      finding.evidence.push_back(evidence(*late.after->event, late.after->name));
    }
  });
}

Diagnosis diagnosis() {
  return {
      .id = "script.device-config-too-late",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "The script configures devices after they are started",
      .claim =
          "Visible devices, memory growth and limits can only be set before the first operation; later the call "
          "raises.",
      .proof = "A call that starts devices stands above it.",
      .disproof = "Nothing before the call uses a device.",
      .remedy = "Move the configuration right behind the import.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_device_config_too_late
