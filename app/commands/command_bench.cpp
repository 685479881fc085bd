#include "app/commands/commands.h"
#include "app/commands/kernel_runs.h"
#include "kernels/bench/bench.h"

namespace envdoctor::bench_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  declare_problems(arguments, options.verify);
  declare_framework(arguments, options.verify);
}

int bench(const Options& options) {
  check_kernels(options.verify.kernels, options.verify.framework ? kernel_names() : timed_kernel_names());
  kernels::VerifyOptions how = verify_options(options);
  if (!options.verify.seed) how.seed = 1;  // two runs are to be compared
  const bool frameworks = options.verify.framework.has_value();
  return run_on_devices(
      options, how,
      {frameworks ? kernels::bench_frameworks : kernels::bench, frameworks ? "bench --framework" : "bench"});
}

}  // namespace

const Command command = {"bench", "time kernels on each device, against the CPU", declare, bench, true};

}  // namespace envdoctor::bench_command
