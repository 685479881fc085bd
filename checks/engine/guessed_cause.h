#pragma once
// A guess where no rule found a cause: the cause whose reports use the same words as the text.
#include <vector>

#include "checks/engine/report.h"

namespace envdoctor {

// Adds one finding, `possible`, for a text with an error or a complaint in which nothing was found except, at most, a
// group of causes (driver.unreachable); a likely member of the group then stands before it. Adds none if the check of
// that diagnosis passed or was not requested.
void add_guessed_cause(const Snapshot& snapshot, const JudgeOptions& options, const std::vector<CheckResult>& results,
                       std::vector<Finding>& findings);

// Such a finding proves nothing: the text's cause is still undetermined.
bool is_guessed(const Finding& finding);

}  // namespace envdoctor
