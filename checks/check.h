#pragma once
// A check: a pure function from a snapshot to answers about the diagnoses it owns.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checks/finding.h"
#include "evidence/snapshot.h"

namespace envdoctor {

// A row of the catalogue: what a diagnosis id means, whoever finds it.
struct Diagnosis {
  const char* id;
  Rung rung;
  Severity severity;      // the usual one
  const char* title;      // what a person reads first; no full stop
  const char* claim;      // what it says is the case
  const char* disproof;   // what would show that it isn't
  const char* remedy;     // the usual fix, in a sentence
};

std::span<const Diagnosis> catalogue();           // sorted by id
const Diagnosis* diagnosis(std::string_view id);  // null: no such id

// Where a check puts its answers. Every id that a check owns must get exactly one state, or at least one finding.
class Answers {
 public:
  // A finding with rung, severity and title from the catalogue; the check overrides what differs.
  Finding& found(std::string_view id, std::string subject = "host");
  // Each of these yields to a finding of the same id, and unknown to nothing but a finding.
  void sound(std::string_view id);
  void unknown(std::string_view id, std::string why);
  void not_applicable(std::string_view id, std::string why);

  std::vector<Finding> findings{};
  std::vector<CheckResult> results{};
};

struct Check {
  std::vector<const char*> ids{};  // the diagnoses it owns
  void (*run)(const Snapshot&, Answers&) = nullptr;
};

const std::vector<Check>& all_checks();  // the roster, in checks/all.cpp

// Evidence at a place in the snapshot: pointer("/nvidia/devices", 2, "name").
Evidence seen(std::string path, std::string value);
Evidence seen(const LogEvent& event, std::string value);

}  // namespace envdoctor
