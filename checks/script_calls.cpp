// Calls that do something else than many believe, or nothing, or raise, by the table script_calls.json.
#include "knowledge/script_calls.h"
#include "checks/script_facts.h"
#include "knowledge/drivers.h"

namespace envdoctor {
namespace {

const std::vector<const char*> ids = {"script.build-is-not-use", "script.cpu-list-hides-no-gpu",
                                      "script.image-data-format", "script.tf1-api"};

void run(const Snapshot& snapshot, Answers& answers) {
  if (!have_script(snapshot, answers, ids)) return;
  for (const ScriptEvent& event : script_events(snapshot)) {
    if (event.kind != "call") continue;
    for (const knowledge::ScriptCall& row : knowledge::script_calls()) {
      if (row.call != event.name || event.value.find(row.argument) == std::string::npos) continue;
      const Text version = framework_version(snapshot, row.framework);
      if (!row.from.empty() && version.get() && knowledge::compare_versions(*version.get(), row.from) < 0) continue;
      const std::string where = version.get()
                                    ? " (" + row.framework + " " + *version.get() + ")"
                                    : std::string(" (" + row.framework + " " +
                                                  (row.from.empty() ? "of any version" : row.from + " and newer") +
                                                  "; which is installed is not known)");
      Finding& finding = found_in_script(answers, row.id, event, row.call + " " + row.says + where + ".", row.instead);
      if (row.label == "raises") finding.severity = Severity::error;
      if (row.label == "works") finding.severity = Severity::info;
      if (!version.get() && !row.from.empty()) {
        finding.confidence = Confidence::likely;
        finding.severity = std::min(finding.severity, Severity::warning);
      }
    }
  }
  rest_is_sound(answers, ids);
}

}  // namespace

Check script_calls() { return {.ids = ids, .run = run}; }

}  // namespace envdoctor
