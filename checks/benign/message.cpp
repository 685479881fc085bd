// Lines that look like a fault but are harmless. They are reported as such only where the logs hold nothing worse.
#include <set>
#include "checks/engine/rule.h"

namespace envdoctor::benign_message {

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (!snapshot.log.get()) return answers.not_applicable("benign.message", "no log was read");
  if (facts.harmless().empty()) return answers.passed("benign.message");
  const auto from_text = [&snapshot](const Evidence& e) {
    return e.path == "log" || (snapshot.sources.get() && snapshot.sources.get()->contains(e.path));
  };
  const auto worse = [&](const Finding& finding) {
    return finding.severity != Severity::info && std::ranges::any_of(finding.evidence, from_text);
  };
  if (std::ranges::any_of(answers.findings, worse))
    return answers.not_applicable("benign.message", "the log holds something worse");
  Finding* finding = nullptr;
  std::set<std::string> reported;
  for (const Symptom* line : facts.harmless()) {
    if (!reported.insert(*line->subject.get()).second) continue;
    if (finding)
      finding->evidence.push_back(evidence(*line));
    else
      finding = &add_finding(answers, *line, "benign.message", Confidence::certain);
  }
}

Diagnosis diagnosis() {
  return {
      .id = "benign.message",
      .layer = Layer::framework,
      .severity = Severity::info,
      .title = "An alarming line in the log is harmless",
      .claim = "The line is printed on working machines, too, and is no sign of a fault.",
      .proof = "The line is known to be harmless, and nothing else in the logs is wrong.",
      .disproof = "The same step fails right after the line, with an error of its own.",
      .remedy = "Ignore this line; look for the next one that is an error.",
      .judge = judge,
  };
}

}  // namespace envdoctor::benign_message
