#pragma once
// Shared by every command that writes a report.
#include "app/options/options.h"
#include "checks/engine/report.h"

namespace envdoctor {

JudgeOptions judge_options(const Options& options, bool from_files);

// Writes every requested format: to files, and to standard output unless only files were named.
// Returns the exit status.
int write_report(const Report& report, const Options& options);

// The same for several snapshots, by name. A file whose name holds {} is written once per snapshot, with its name
// inserted. Otherwise one file or stream takes all: text formats one after the other, JSON as an array. The other
// formats hold one host's report: throws UsageError before anything is written.
void write_reports(const std::vector<Report>& reports, const std::vector<std::string>& names, const Options& options);

// The result of a command that makes no report: text, and JSON where the command has it. `check_result_format` refuses
// other formats and is called before any work; `write_result` writes to standard output or the files of -o and returns
// 0.
void check_result_format(const Options& options, bool has_json);
int write_result(const Options& options, const std::string& text, const std::string& json = {});

// 0, 1 or 3: the documented exit status.
int exit_status(const Report& report, FailOn fail_on);

}  // namespace envdoctor
