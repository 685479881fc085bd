#include "app/commands.h"
#include "app/compute.h"
#include "app/environment.h"
#include "app/framework_targets.h"
#include "app/gather.h"
#include "app/reporting.h"
#include "kernels/bench.h"
#include "probe/redact.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  declare_problems(arguments, options.verify);
  declare_framework(arguments, options.verify);
}

int bench(const Options& options) {
  check_kernels(options.verify.kernels, options.verify.framework ? kernel_names() : timed_kernel_names());
  kernels::VerifyOptions how = verify_options(options);
  if (!options.verify.seed) how.seed = 1;  // two runs are to be compared
  const bool named = !options.verify.devices.empty();
  const Insist insist = named ? Insist::yes : Insist::unless_busy;
  Snapshot snapshot;
  if (options.verify.framework) {
    snapshot = compute_frameworks(options, how, insist, {kernels::bench_frameworks, "bench --framework"});
  } else {
    snapshot = gather_here(options, {"opencl", "nvidia", "cpu", "host", "env"}, Launches::none);
    add_compute(snapshot, wanted_targets(snapshot, options.verify.devices), how, insist, {kernels::bench, "bench"});
  }
  if (options.redact) redact(snapshot, identity_of(environment()));
  JudgeOptions judged = judge_options(options, false);
  judged.of_devices = true;
  judged.host_asked = named;
  const Report report = judge(snapshot, judged);
  write_reports(report, options);
  return exit_status(report, options.fail_on);
}

}  // namespace

const Command bench_command = {"bench", "how fast devices are, beside this host's CPU", declare, bench};

}  // namespace envdoctor
