// script.unreadable: the script is no Python that this interpreter takes.
#include "checks/facts.h"
#include "checks/script_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "script.unreadable";

void run(const Snapshot& snapshot, Answers& answers) {
  for (const LogEvent* event : events_of(snapshot, "script-unreadable")) {
    const auto why = event->fields.find("why");
    const auto python = event->fields.find("python");
    Finding& finding = answers.found(id, "script:" + (event->source.get() ? *event->source.get() : std::string("?")));
    const std::string what = why == event->fields.end() ? "no reason was given" : why->second;
    finding.explanation = (event->line.get() ? "Line " + std::to_string(*event->line.get()) + ": " : std::string()) +
                          what + "." +
                          (python == event->fields.end() ? "" : " It was read as Python " + python->second + ".");
    finding.evidence.push_back(seen(*event, what));
    finding.fix.push_back({.text = diagnosis(id)->remedy});
    return;
  }
  if (script_read(snapshot).is(true))
    answers.sound(id);
  else
    answers.not_applicable(id, "no script was given");
}

}  // namespace

Check script_unreadable() { return {.ids = {id}, .run = run}; }

}  // namespace envdoctor
