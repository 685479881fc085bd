// What comes too late: variables after a framework has read them, configuration after its devices were started.
#include <algorithm>
#include <map>

#include "checks/script_facts.h"
#include "knowledge/script_calls.h"

namespace envdoctor {
namespace {

constexpr const char* variable_id = "script.variable-too-late";
constexpr const char* backend_id = "script.keras-backend-too-late";
constexpr const char* config_id = "script.device-config-too-late";
const std::vector<const char*> ids = {config_id, backend_id, variable_id};

struct Started {
  const ScriptEvent* by_import = nullptr;
  const ScriptEvent* driver = nullptr;  // the first event that surely started it
  const ScriptEvent* devices = nullptr;
};

std::string line_of(const ScriptEvent& event) {
  return event.event->line.get() ? std::to_string(*event.event->line.get()) : "?";
}

// "tensorflow.keras" -> "tensorflow"; Keras is also imported by tensorflow.keras.
bool imports(const ScriptEvent& event, const std::string& framework) {
  const std::string root = event.name.substr(0, event.name.find('.'));
  return root == framework || (framework == "keras" && event.name.starts_with("tensorflow.keras"));
}

void note(std::map<std::string, Started>& started, const ScriptEvent& event) {
  if (!event.sure) return;
  if (event.kind == "import") {
    for (const char* framework : {"tensorflow", "keras", "torch", "jax"}) {
      Started& one = started[framework];
      if (imports(event, framework) && !one.by_import) one.by_import = &event;
    }
  }
  const auto starts = knowledge::started_by(event.name);
  if (event.kind != "call" || starts.framework.empty()) return;
  Started& one = started[starts.framework];
  if (!one.driver) one.driver = &event;
  if (starts.what == "devices" && !one.devices) one.devices = &event;
}

void judge_variable(Answers& answers, std::map<std::string, Started>& started, const ScriptEvent& event) {
  for (const knowledge::ReadVariable& row : knowledge::read_variables()) {
    if (row.name != event.name) continue;
    const Started& one = started[row.framework];
    const ScriptEvent* reader = row.read == "import" ? one.by_import : row.read == "driver" ? one.driver : one.devices;
    if (!reader) continue;
    const bool keras = row.name == "KERAS_BACKEND";
    Finding& finding = found_in_script(
        answers, keras ? backend_id : variable_id, event,
        row.name + " is set after " + reader->name + " (line " + line_of(*reader) +
            "), which has read it already: " + "setting it here has no effect.",
        row.read == "import" ? "Set it before the line that imports " + row.framework + ", or in the shell."
                             : "Set it before that line, best in the shell: envdoctor run --device cpu|gpu:N -- CMD.");
    finding.evidence.push_back(seen(*reader->event, reader->name));
    return;  // once, whichever framework it was
  }
}

void judge_call(Answers& answers, std::map<std::string, Started>& started, const ScriptEvent& event) {
  const knowledge::EarlyCall* early = knowledge::early_call(event.name);
  if (!early || event.value.find(early->argument) == std::string::npos) return;
  const ScriptEvent* devices = started[early->framework].devices;
  if (!devices) return;
  Finding& finding = found_in_script(answers, config_id, event,
                                     event.name + " comes after " + devices->name + " (line " + line_of(*devices) +
                                         "), which starts the devices: it " + early->says + ".",
                                     early->instead);
  if (early->label == "no effect") finding.severity = Severity::warning;
  // Where the call would change nothing, as on a host without a GPU to hide, it doesn't raise either.
  finding.confidence = std::min(finding.confidence, Confidence::likely);
  finding.evidence.push_back(seen(*devices->event, devices->name));
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (!have_script(snapshot, answers, ids)) return;
  const auto events = script_events(snapshot);
  std::map<std::string, Started> started;
  for (const ScriptEvent& event : events) {
    if (event.kind == "set-variable") judge_variable(answers, started, event);
    if (event.kind == "call") judge_call(answers, started, event);
    note(started, event);
  }
  rest_is_sound(answers, ids);
}

}  // namespace

Check script_order() { return {.ids = ids, .run = run}; }

}  // namespace envdoctor
