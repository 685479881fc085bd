#pragma once
// A guess where no rule found a cause: the one whose reports use the words of the text.
#include <vector>

#include "checks/engine/report.h"

namespace envdoctor {

// Adds one finding, `possible`, for a text that holds an error or a complaint and in which nothing was found but, at
// most, a group of causes (driver.unreachable): a likely member of it then stands before it. None is added if the check
// of that diagnosis passed or nobody asked for it.
void add_guessed_cause(const Snapshot& snapshot, const JudgeOptions& options, const std::vector<CheckResult>& results,
                     std::vector<Finding>& findings);

// Such a finding proves nothing: the text's cause is still undetermined.
bool is_guessed(const Finding& finding);

}  // namespace envdoctor
