#pragma once
// From a snapshot to a finished report: run the checks, find the roots, build the ladders, reach a verdict.
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checks/check.h"

namespace envdoctor {

// Everything beside the snapshot that a report depends on.
struct JudgeOptions {
  std::vector<std::string> only{};        // ids or families; empty: all
  std::vector<std::string> skip{};
  std::optional<std::int64_t> expect_gpus{};  // --expect gpus=N
  bool from_files = false;                // source.kind
  std::string tool_version{};
};

// Whether `only` (empty: all) and `skip`, ids or families each, leave this diagnosis in.
bool is_wanted(const std::vector<std::string>& only, const std::vector<std::string>& skip, const std::string& id);

struct Report {
  JudgeOptions options{};
  Verdict verdict = Verdict::incomplete;
  std::string verdict_why{};  // one line
  std::vector<Ladder> ladders{};
  std::vector<CheckResult> checks{};
  std::vector<Finding> findings{};  // in order of importance, roots first
  Snapshot snapshot{};
};

// Pure: the same snapshot and options give the same report.
Report judge(const Snapshot& snapshot, const JudgeOptions& options);

}  // namespace envdoctor
