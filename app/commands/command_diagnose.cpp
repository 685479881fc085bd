#include <algorithm>

#include "app/commands/commands.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "app/serve/desk.h"
#include "evidence/json.h"
#include "evidence/merge.h"
#include "probe/paste/log_reader.h"

namespace envdoctor::diagnose_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("snapshot", options.arguments, "snapshots or JSON reports; - is standard input",
                   {.shown = "[SNAPSHOT...]"});
  arguments.option("--log", options.logs, "log of the failing program; - is standard input; may be repeated",
                   {.shown = "FILE"});
  arguments.option("--serve", options.serve,
                   "serve a page where logs and snapshots are diagnosed; of this host alone "
                   "(127.0.0.1) unless an address is given",
                   {.shown = "[ADDRESS:]PORT"});
}

int diagnose(const Options& options) {
  if (options.serve) {
    if (!options.arguments.empty() || !options.logs.empty() || !options.outputs.empty() || !options.format.empty())
      throw UsageError("--serve takes what is sent to it: name no files and no format beside it");
    serve_desk(options);
  }
  if (options.arguments.empty() && options.logs.empty())
    throw UsageError("diagnose needs a snapshot or --log FILE. See 'envdoctor diagnose --help'.");
  std::vector<Snapshot> snapshots;
  for (const std::string& path : options.arguments) snapshots.push_back(read_snapshot(path, options.redact));
  if (snapshots.empty()) snapshots.emplace_back();
  for (const std::string& path : options.logs) {
    const Snapshot from_log = read_log_file(path, options.redact);
    for (Snapshot& snapshot : snapshots) fill_in(snapshot, from_log);
  }
  std::vector<Report> reports;
  int worst = 0;
  for (const Snapshot& snapshot : snapshots) {
    const int status =
        exit_status(reports.emplace_back(judge(snapshot, judge_options(options, true))), options.fail_on);
    worst = worst == 1 || status == 1 ? 1 : std::max(worst, status);
  }
  write_reports(reports, options.arguments.empty() ? options.logs : options.arguments, options);
  return worst;
}

}  // namespace

const Command command = {"diagnose", "diagnose from snapshots and logs only", declare, diagnose, true};

}  // namespace envdoctor::diagnose_command
