#include "checks/script_facts.h"

#include <algorithm>

#include "checks/facts.h"

namespace envdoctor {
namespace {

std::string field(const LogEvent& event, const char* name) {
  const auto found = event.fields.find(name);
  return found == event.fields.end() ? std::string{} : found->second;
}

}  // namespace

Flag script_read(const Snapshot& snapshot) {
  if (!events_of(snapshot, "script-read").empty()) return true;
  if (const auto events = events_of(snapshot, "script-unreadable"); !events.empty())
    return failed("the script can't be read: " + field(*events.front(), "why"));
  return absent("no script was given");
}

std::vector<ScriptEvent> script_events(const Snapshot& snapshot) {
  std::vector<ScriptEvent> all;
  const auto* log = snapshot.log.get();
  if (!log) return all;
  for (const LogEvent& event : *log) {
    const std::string* kind = event.event.get();
    if (!kind || !kind->starts_with("script-") || *kind == "script-read" || *kind == "script-unreadable") continue;
    all.push_back({.event = &event,
                   .kind = kind->substr(7),
                   .name = field(event, "name"),
                   .value = field(event, "value"),
                   .inside = field(event, "inside"),
                   .has_value = event.fields.contains("value"),
                   .sure = field(event, "sure") == "yes"});
  }
  return all;
}

Text framework_version(const Snapshot& snapshot, std::string_view framework) {
  const Text known = framework == "tensorflow" ? of(snapshot.tensorflow, &Tensorflow::version)
                     : framework == "torch"    ? of(snapshot.torch, &Torch::version)
                     : framework == "jax"      ? of(snapshot.jax, &Jax::version)
                     : framework == "keras"    ? of(snapshot.keras, &Keras::version)
                                               : Text{};
  return known;
}

Finding& found_in_script(Answers& answers, std::string_view id, const ScriptEvent& event, std::string explanation,
                         std::string instead) {
  const std::string file = event.event->source.get() ? *event.event->source.get() : "script";
  const std::string line = event.event->line.get() ? std::to_string(*event.event->line.get()) : "?";
  Finding& finding = answers.found(id, "script:" + file + ":" + line);
  finding.confidence = event.sure ? Confidence::certain : Confidence::likely;
  finding.explanation = "Line " + line + ": " + std::move(explanation);
  std::string written = event.name;
  if (event.has_value) written += event.kind == "call" ? "(" + event.value + ")" : " = '" + event.value + "'";
  finding.evidence.push_back(seen(*event.event, written));
  finding.fix.push_back({.text = std::move(instead)});
  return finding;
}

bool have_script(const Snapshot& snapshot, Answers& answers, const std::vector<const char*>& ids) {
  const Flag read = script_read(snapshot);
  for (const char* id : ids) {
    if (read.outcome() == Outcome::absent) answers.not_applicable(id, read.why());
    if (read.outcome() == Outcome::failed) answers.unknown(id, read.why());
  }
  return read.is(true);
}

void rest_is_sound(Answers& answers, const std::vector<const char*>& ids) {
  for (const char* id : ids) {
    if (std::ranges::find(answers.findings, id, &Finding::id) == answers.findings.end()) answers.sound(id);
  }
}

}  // namespace envdoctor
