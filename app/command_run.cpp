#include <fmt/format.h>
#include <unistd.h>

#include <cstring>

#include "app/commands.h"
#include "app/environment.h"
#include "app/files.h"
#include "app/run_environment.h"
#include "evidence/json.h"
#include "host/foreground.h"
#include "knowledge/switches.h"
#include "probe/process_watch.h"
#include "reports/process.h"

namespace envdoctor {
namespace {

constexpr int not_used = 1, not_known = 3;

void declare(Arguments& arguments, Options& options) {
  RunOptions& run = options.run;
  arguments.option("--device", run.device, "where CMD is to run").shown("cpu|gpu|gpu:N|gpu:UUID");
  arguments.flag("--deterministic", run.deterministic, "the same bits in each run, as far as variables can do it");
  arguments.option("--tf32", run.tf32, "TF32 in matrix products").one_of({"on", "off"});
  arguments.flag("--memory-growth", run.memory_growth, "take GPU memory as it is needed");
  arguments.flag("--require-gpu", run.require_gpu, "exit status 1 unless CMD used a GPU, 3 if that can't be told");
  arguments.flag("--print-env", run.print_env, "print what would be set, for eval, and start nothing");
  arguments.flag("--quiet", run.quiet, "say afterwards only what is not as it was asked");
  arguments.option("command", options.arguments, "CMD and its arguments, behind --").shown("-- CMD...");
  arguments.footer(
      "Exit status: that of CMD; 126 it can't be started, 127 there is no such\nprogram, 128+N signal N ended it.");
}

Watched seen_by(Companion& watcher) {
  watcher.end(Milliseconds(3000));
  try {
    if (!watcher.answer().empty()) return watched_from_json(watcher.answer(), "the watcher");
  } catch (const BadDocument&) {
  }
  return {.process = failed("the watcher gave no answer: " + watcher.why_over())};
}

bool as_asked(const RunOptions& run, const ProcessVerdict& verdict) {
  if (run.device == "cpu") return verdict.use == DeviceUse::never_opened;
  return verdict.use == DeviceUse::ran || (run.device.empty() && !run.require_gpu);
}

int required(int status, const ProcessVerdict& verdict) {
  if (status != 0 || verdict.busy_at_all) return status;
  return verdict.use == DeviceUse::unknown ? not_known : not_used;
}

int run(const Options& options) {
  const RunOptions& run = options.run;
  const auto files = open_files("/");
  const auto env = environment();
  const auto changes =
      environment_changes(run, run.device.starts_with("gpu:") ? list_gpus(*files) : std::vector<ListedGpu>{}, env);
  if (run.print_env) {
    write_out(shell_lines(changes, options.verbose));
    return 0;
  }
  if (options.arguments.empty())
    throw UsageError("run needs a command: envdoctor run --device gpu -- CMD. 'envdoctor run --help' tells more.");
  if (run.require_gpu && run.device == "cpu") throw UsageError("--require-gpu and --device cpu contradict each other.");
  if (run.deterministic && !run.quiet)
    fmt::print(stderr, "envdoctor: deterministic as far as variables go: {}\n",
               knowledge::left_by_switch("deterministic"));

  const Foreground program(options.arguments, changed_environment(env, changes));
  if (program.error() != 0) {
    fmt::print(stderr, "envdoctor: {}: {}\n", options.arguments.front(), std::strerror(program.error()));
    return shell_status_of(program.error());
  }
  Companion watcher(watch_process(program.pid(), {.redact = options.redact}));
  const int status = program.wait();
  const Watched seen = seen_by(watcher);
  const ProcessVerdict verdict = judge_process(seen);
  if (!run.quiet || !as_asked(run, verdict)) fmt::print(stderr, "envdoctor: {}\n", use_line(seen, verdict));
  return run.require_gpu ? required(status, verdict) : status;
}

}  // namespace

const Command run_program_command = {"run", "start a program on a device, and check it did", declare, run};

}  // namespace envdoctor
