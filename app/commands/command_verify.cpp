#include "app/commands/commands.h"
#include "app/commands/kernel_runs.h"

namespace envdoctor::verify_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  VerifyWishes& wishes = options.verify;
  declare_problems(arguments, wishes);
  declare_framework(arguments, wishes);
  arguments.option("--repeat", wishes.repeat, "runs of each problem, compared bit by bit (default 3)",
                   {.shown = "TIMES", .between = {1, 1000}});
}

int verify(const Options& options) {
  check_kernels(options.verify.kernels, kernel_names());
  return run_on_devices(options, verify_options(options), {});
}

}  // namespace

const Command command = {"verify", "check that devices compute what the CPU computes", declare, verify, true};

}  // namespace envdoctor::verify_command
