#include "app/commands.h"
#include "app/compute.h"
#include "app/reporting.h"

namespace envdoctor {
namespace {

int check(const Options& options) {
  const Report report = judge(gather_and_compute(options), judge_options(options, false));
  write_reports(report, options);
  return exit_status(report, options.fail_on);
}

}  // namespace

const Command check_command = {"check", "probe this host and diagnose (the default)", nullptr, check};

}  // namespace envdoctor
