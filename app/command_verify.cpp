#include "app/commands.h"
#include "app/compute.h"
#include "app/environment.h"
#include "app/framework_targets.h"
#include "app/gather.h"
#include "app/reporting.h"
#include "probe/redact.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  VerifyWishes& wishes = options.verify;
  declare_problems(arguments, wishes);
  declare_framework(arguments, wishes);
  arguments.option("--repeat", wishes.repeat, "runs of each problem, compared bit by bit; 3 unless told")
      .between(1, 1000)
      .shown("TIMES");
}

Snapshot verify_devices(const Options& options, const kernels::VerifyOptions& how, Insist insist) {
  Snapshot snapshot = gather_here(options, {"opencl", "nvidia", "cpu", "host", "env"}, Launches::none);
  add_compute(snapshot, wanted_targets(snapshot, options.verify.devices), how, insist);
  if (options.redact) redact(snapshot, identity_of(environment()));
  return snapshot;
}

int verify(const Options& options) {
  check_kernels(options.verify.kernels, kernel_names());
  const kernels::VerifyOptions how = verify_options(options);
  const Insist insist = options.verify.devices.empty() ? Insist::unless_busy : Insist::yes;
  const Snapshot snapshot =
      options.verify.framework ? compute_frameworks(options, how, insist, {}) : verify_devices(options, how, insist);
  JudgeOptions judged = judge_options(options, false);
  judged.of_devices = true;
  judged.host_asked = !options.verify.devices.empty();
  const Report report = judge(snapshot, judged);
  write_reports(report, options);
  return exit_status(report, options.fail_on);
}

}  // namespace

const Command verify_command = {"verify", "whether devices compute what the CPU computes", declare, verify};

}  // namespace envdoctor
