#pragma once
// A diagnosis: the meaning of an id, and the rule that finds it. One file checks/<family>/<name>.cpp each.
#include <string>
#include <string_view>
#include <vector>

#include "checks/engine/finding.h"
#include "checks/facts/symptoms.h"

namespace envdoctor {

// Collects the answers of rules, by default those of the diagnosis that is being judged. Each id gets
// one state: failed with at least one finding, otherwise unknown, passed or not applicable, in this order.
struct Answers {
  // A finding with layer, severity and title from the catalogue; the rule overrides what differs.
  Finding& found() { return found(id); }
  Finding& found_on(std::string subject) { return found(id, std::move(subject)); }
  // A finding with this symptom as its first evidence.
  Finding& found_in(const Symptom& symptom, Confidence confidence, std::string subject = "host");
  void passed() { passed(id); }
  void unknown(std::string why) { unknown(id, std::move(why)); }
  void not_applicable(std::string why) { not_applicable(id, std::move(why)); }

  Finding& found(std::string_view of, std::string subject = "host");
  void passed(std::string_view of) { results.push_back({std::string(of), CheckState::passed, {}}); }
  void unknown(std::string_view of, std::string why);
  void not_applicable(std::string_view of, std::string why);

  const char* id = "";
  std::vector<Finding> findings{};
  std::vector<CheckResult> results{};
};

// A line of text that indicates a diagnosis, and with which confidence, if `when` is true and the detail, if named,
// starts with `value`. A code is compared by name, however the program prints it.
struct SymptomRule {
  Kind kind;
  Confidence confidence;
  bool (*when)(const Facts&) = nullptr;
  const char* detail = nullptr;
  const char* value = nullptr;
};

// The program failed, and works after this change of knowledge/wordings/helping_changes.json.
constexpr SymptomRule helped_by(const char* change) {
  return {{SymptomClass::noted, "helping-change"}, Confidence::likely, nullptr, "change", change};
}

struct Diagnosis {
  const char* id;
  Layer layer;
  Severity severity;                    // the default
  const char* title;                    // the first line of a finding; no full stop
  const char* claim;                    // the statement of the diagnosis
  const char* proof;                    // the evidence required for certain or likely
  const char* disproof;                 // the evidence against it
  const char* remedy;                   // the usual fix, in one sentence
  std::vector<const char*> explains{};  // ids of its consequences
  std::vector<SymptomRule> symptoms{};
  std::string (*not_here)(const Snapshot&) = nullptr;       // why it can't apply here; empty: it can
  void (*judge_host)(const Snapshot&, Answers&) = nullptr;  // judges the host's own facts
  void (*judge)(const Facts&, Answers&) = nullptr;          // judges facts and texts
  void (*complete)(const Facts&, Answers&) = nullptr;       // adds to the findings of all of these, as an exact fix
};

const std::vector<Diagnosis>& roster();                // in the order in which they are judged
const std::vector<const Diagnosis*>& catalogue();      // sorted by id
const Diagnosis* find_diagnosis(std::string_view id);  // null: no such id

// The consequences of an unusable driver, and `more`.
std::vector<const char*> with_unusable_driver(std::vector<const char*> more);

// Collects the answers of one diagnosis: its rule's, then those of its symptoms.
void answer(const Diagnosis& diagnosis, const Facts& facts, Answers& answers);

// Calls take(finding) for the findings of this diagnosis whose only fix is a sentence, which an exact one may replace.
template <class Take>
void each_without_command(Answers& answers, Take take) {
  for (Finding& finding : answers.findings) {
    if (finding.id == answers.id && finding.fix.size() == 1 && finding.fix.front().command.empty()) take(finding);
  }
}

// As each_without_command, for those whose sentence is the diagnosis's remedy.
template <class Take>
void each_with_remedy(Answers& answers, Take take) {
  each_without_command(answers, [&](Finding& finding) {
    if (finding.fix.front().text == find_diagnosis(answers.id)->remedy) take(finding);
  });
}

// A finding of this id with this symptom as its first evidence.
Finding& add_finding(Answers& answers, const Symptom& symptom, const char* id, Confidence confidence,
                     std::string subject = "host");

// Evidence at a place in the snapshot: evidence(pointer, value).
Evidence evidence(std::string path, std::string value);
Evidence evidence(const Symptom& symptom, std::string value);
// "failed cuinit: code CUDA_ERROR_NO_DEVICE", as evidence with its place.
Evidence evidence(const Symptom& symptom);

}  // namespace envdoctor
