#pragma once
// A diagnosis: what an id means, and the rule that finds it. One file checks/<family>/<name>.cpp each.
#include <string>
#include <string_view>
#include <vector>

#include "checks/engine/finding.h"
#include "checks/facts/symptoms.h"

namespace envdoctor {

// Where rules put their answers, those of the diagnosis that is being judged unless they name another id. Each id gets
// one state: at least one finding, or else unknown before passed before not applicable.
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

// A line of text that points to a diagnosis, and how surely, if `when` holds and the detail, if one is named, starts
// with `value`. A code is compared by its name, however the program prints it.
struct SymptomRule {
  Kind kind;
  Confidence confidence;
  bool (*when)(const Facts&) = nullptr;
  const char* detail = nullptr;
  const char* value = nullptr;
};

struct Diagnosis {
  const char* id;
  Layer layer;
  Severity severity;      // the usual one
  const char* title;      // what a person reads first; no full stop
  const char* claim;      // what it says is the case
  const char* proof;      // what must be seen before it is certain or likely
  const char* disproof;   // what would show that it is not the case
  const char* remedy;     // the usual fix, in a sentence
  std::vector<const char*> explains{};       // ids that follow from it
  std::vector<SymptomRule> symptoms{};
  std::string (*not_here)(const Snapshot&) = nullptr;       // why it can't be here at all; empty: it can
  void (*judge_host)(const Snapshot&, Answers&) = nullptr;  // what the host's own facts say
  void (*judge)(const Facts&, Answers&) = nullptr;          // what facts and texts say
};

const std::vector<Diagnosis>& roster();                // in the order in which they are judged
const std::vector<const Diagnosis*>& catalogue();      // sorted by id
const Diagnosis* find_diagnosis(std::string_view id);  // null: no such id

// What follows wherever the driver below can't be used at all, and `more`.
std::vector<const char*> with_unusable_driver(std::vector<const char*> more);

// Puts the answers of one diagnosis where they belong: its rule's, then those of its symptoms.
void answer(const Diagnosis& diagnosis, const Facts& facts, Answers& answers);

// A finding of this id with this symptom as its first evidence.
Finding& add_finding(Answers& answers, const Symptom& symptom, const char* id, Confidence confidence,
                     std::string subject = "host");

// Evidence at a place in the snapshot: evidence(pointer, value).
Evidence evidence(std::string path, std::string value);
Evidence evidence(const Symptom& symptom, std::string value);
// "failed cuinit: code CUDA_ERROR_NO_DEVICE", as evidence with its place.
Evidence evidence(const Symptom& symptom);

}  // namespace envdoctor
