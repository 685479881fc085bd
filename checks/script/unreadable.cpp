// script.unreadable: the script is no Python that this interpreter takes.
#include "checks/facts/facts.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_unreadable {

using enum SymptomClass;
namespace {

constexpr const char* id = "script.unreadable";

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  for (const Symptom* event : symptoms_of(snapshot, {failed, "script-reading"})) {
    const auto why = event->details.find("why");
    const auto python = event->details.find("python");
    Finding& finding = answers.found(id, "script:" + (event->source.get() ? *event->source.get() : std::string("?")));
    const std::string what = why == event->details.end() ? "no reason was given" : why->second;
    finding.explanation = (event->line.get() ? "Line " + std::to_string(*event->line.get()) + ": " : std::string()) +
                          what + "." +
                          (python == event->details.end() ? "" : " It was read as Python " + python->second + ".");
    finding.evidence.push_back(evidence(*event, what));
    finding.fix.push_back({.text = find_diagnosis(id)->remedy});
    return;
  }
  if (script_read(snapshot).is(true))
    answers.passed(id);
  else
    answers.not_applicable(id, "no script was given");
}

}  // namespace

Diagnosis diagnosis() {
  return {
      .id = "script.unreadable",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "The script can't be read as Python",
      .claim = "This interpreter's own parser refuses the file.",
      .proof = "The parser's own error, with its line.",
      .disproof = "The script runs under the interpreter that was asked.",
      .remedy = "Correct the line, or name the Python that it is written for.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_unreadable
