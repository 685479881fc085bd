#include "app/commands/commands.h"
#include "app/commands/kernel_runs.h"
#include "app/output/reporting.h"
#include "reports/reports.h"

namespace envdoctor::check_command {
namespace {

int check(const Options& options) {
  const JudgeOptions how = judge_options(options, false);
  // The first report reads tables and compiles patterns, which takes longer than the rest of it. An unused one is made
  // while drivers load, so that the real one does not wait for that.
  const auto prepare = [&how](const Snapshot& known) { render_text(judge(known, how), {}); };
  return write_report(judge(gather_and_compute(options, prepare), how), options);
}

}  // namespace

const Command command = {"check", "probe this host and diagnose it (the default)", nullptr, check, true};

}  // namespace envdoctor::check_command
