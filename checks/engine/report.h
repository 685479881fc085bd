#pragma once
// From a snapshot to a finished report: run the checks, find the roots, build the stacks, reach a verdict.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checks/engine/diagnosis.h"
#include "checks/expect/expectations.h"

namespace envdoctor {

// Everything except the snapshot that a report depends on.
struct JudgeOptions {
  std::vector<std::string> only{};  // ids or families; empty: all
  std::vector<std::string> skip{};
  Expectations expectations{};  // --expect
  bool from_files = false;      // source.kind
  bool of_devices = false;      // verify and bench: whether devices compute correctly, not whether a GPU will be used
  bool of_model = false;        // agree: whether the user's model computes the same on both sides
  bool host_asked = false;      // the host itself is one of the requested devices
  std::string tool_version{};
};

// Whether `only` (empty: all) and `skip`, ids or families each, include this diagnosis.
bool is_wanted(const std::vector<std::string>& only, const std::vector<std::string>& skip, const std::string& id);

// What is known where no cause was found in a text with an error.
struct Undetermined {
  std::int64_t lines = 0;               // number of lines read
  std::vector<Evidence> decisive{};     // the lines that look most like the end of a failed program
  std::vector<std::string> excluded{};  // ids that the facts rule out
  std::vector<std::string> missing{};   // the missing facts, in words
  std::string next_command{};           // the command whose output would help most
};

// An expectation and its result.
struct Expected {
  Expectation wanted{};
  Met met = Met::unknown;
  std::string explanation{};
};

struct Waived {
  Finding finding{};
  Waiver waiver{};
};

struct Report {
  JudgeOptions options{};
  Verdict verdict = Verdict::incomplete;
  std::string verdict_why{};  // one line
  std::vector<GpuStack> stacks{};
  std::vector<CheckResult> checks{};
  std::vector<Finding> findings{};  // in order of importance, roots first
  std::vector<Waived> waived{};     // found, and accepted until the waiver's last day
  std::vector<Expected> expected{};
  std::optional<Undetermined> undetermined{};
  Snapshot snapshot{};
};

// Pure: the same snapshot and options give the same report.
Report judge(const Snapshot& snapshot, const JudgeOptions& options);

}  // namespace envdoctor
