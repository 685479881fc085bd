#include "app/commands/commands.h"
#include "app/commands/kernel_runs.h"
#include "app/output/reporting.h"

namespace envdoctor::check_command {
namespace {

int check(const Options& options) {
  return write_report(judge(gather_and_compute(options), judge_options(options, false)), options);
}

}  // namespace

const Command command = {"check", "probe this host and diagnose it (the default)", nullptr, check, true};

}  // namespace envdoctor::check_command
