#pragma once
// Snapshots that hold nothing but log events, and what the log rules make of them.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "checks/log_facts.h"
#include "tests/support/builders.h"

namespace envdoctor {

struct Line {
  const char* event;
  std::map<std::string, std::string> fields{};
  const char* framework = nullptr;
};

inline Snapshot log_of(const std::vector<Line>& lines) {
  Snapshot snapshot;
  auto& log = snapshot.log.fill();
  for (const Line& line : lines) {
    LogEvent& event = log.emplace_back();
    event.event = line.event;
    event.source = "train.log";
    event.line = static_cast<std::int64_t>(log.size());
    event.fields = line.fields;
    if (line.framework) event.framework = line.framework;
  }
  return snapshot;
}

inline std::vector<Finding> findings(const Snapshot& snapshot) {
  Answers answers;
  log_all(LogFacts(snapshot), answers);
  return answers.findings;
}

inline std::map<std::string, Confidence> ids(const Snapshot& snapshot) {
  std::map<std::string, Confidence> found;
  for (const Finding& f : findings(snapshot)) found[f.id] = std::max(found[f.id], f.confidence);
  return found;
}

using Found = std::map<std::string, Confidence>;
using enum Confidence;

}  // namespace envdoctor
