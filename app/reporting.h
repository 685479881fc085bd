#pragma once
// What every command that makes a report shares.
#include "app/options.h"
#include "checks/report.h"

namespace envdoctor {

JudgeOptions judge_options(const Options& options, bool from_files);

// Every report that was asked for: to files, and to standard output unless only files were named.
void write_reports(const Report& report, const Options& options);

// 0, 1 or 3, as the contract has it.
int exit_status(const Report& report, FailOn fail_on);

}  // namespace envdoctor
