#pragma once
// Snapshots with only symptoms, and judge()'s answers for them.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "checks/facts/symptoms.h"
#include "tests/support/builders.h"

namespace envdoctor {

struct Line {
  Kind kind;
  std::map<std::string, std::string> details{};
  const char* program = nullptr;
};

inline Snapshot log_of(const std::vector<Line>& lines) {
  Snapshot snapshot;
  auto& log = snapshot.log.fill();
  for (const Line& line : lines) {
    Symptom& symptom = log.emplace_back(symptom_of(line.kind, line.details, "train.log"));
    symptom.line = static_cast<std::int64_t>(log.size());
    if (line.program) symptom.program = line.program;
  }
  return snapshot;
}

inline std::vector<Finding> findings(const Snapshot& snapshot) { return answers_of_all({}, snapshot).findings; }

inline std::map<std::string, Confidence> ids(const Snapshot& snapshot) {
  std::map<std::string, Confidence> found;
  for (const Finding& f : findings(snapshot)) found[f.id] = std::max(found[f.id], f.confidence);
  return found;
}

using Found = std::map<std::string, Confidence>;

// A single line, the diagnosis that it indicates, and the confidence.
struct Message {
  Line line;
  const char* id;
  Confidence sure;
};

inline void expect_causes(const std::vector<Message>& messages) {
  for (const Message& message : messages)
    EXPECT_EQ(ids(log_of({message.line})), (Found{{message.id, message.sure}})) << message.line.kind.subject;
}

using enum Confidence;

}  // namespace envdoctor
