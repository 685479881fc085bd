#pragma once
// What every command that makes a report shares.
#include "app/options/options.h"
#include "checks/engine/report.h"

namespace envdoctor {

JudgeOptions judge_options(const Options& options, bool from_files);

// Every format that was asked for: to files, and to standard output unless only files were named.
// Answers the exit status.
int write_report(const Report& report, const Options& options);

// The same of several snapshots, by name. A file whose name holds {} is written for each, with the snapshot's name
// there. Else one file or stream takes all: text and the like one after the other, JSON as an array. The other formats
// hold one host's report: UsageError, before anything is written.
void write_reports(const std::vector<Report>& reports, const std::vector<std::string>& names, const Options& options);

// The result of a command that makes no report: text, and JSON where the command has it. `check_result_format` refuses other formats
// and is called before any work; `write_result` writes to standard output or the files of -o
// and answers 0.
void check_result_format(const Options& options, bool has_json);
int write_result(const Options& options, const std::string& text, const std::string& json = {});

// 0, 1 or 3, as the contract has it.
int exit_status(const Report& report, FailOn fail_on);

}  // namespace envdoctor
