// Lines that frighten and mean nothing, told as such only where the logs hold nothing worse.
#include <algorithm>
#include <set>

#include "checks/log_facts.h"

namespace envdoctor {
namespace {

void run(const Snapshot& snapshot, Answers& answers) {
  if (!snapshot.log.get()) return answers.not_applicable("benign.message", "no log was read");
  const LogFacts facts(snapshot);
  if (facts.all("benign").empty()) return answers.sound("benign.message");
  Answers others;
  log_all(facts, others);
  if (std::ranges::any_of(others.findings, [](const Finding& f) { return f.severity != Severity::info; }))
    return answers.not_applicable("benign.message", "the log holds something worse");
  Finding* finding = nullptr;
  std::set<std::string> told;
  for (const LogEvent* event : facts.all("benign")) {
    if (!told.insert(field_of(*event, "what")).second) continue;
    if (finding)
      finding->evidence.push_back(seen_event(*event));
    else
      finding = &log_finding(answers, *event, "benign.message", Confidence::certain);
  }
}

}  // namespace

Check log_benign() { return {.ids = {"benign.message"}, .run = run}; }

}  // namespace envdoctor
