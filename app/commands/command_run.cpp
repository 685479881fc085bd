#include <fmt/format.h>

#include <cstring>

#include "app/commands/commands.h"
#include "app/commands/run_environment.h"
#include "app/options/input_files.h"
#include "app/output/output_files.h"
#include "evidence/json.h"
#include "host/process/foreground.h"
#include "knowledge/frameworks/switches.h"
#include "probe/process/process_watch.h"
#include "reports/reports.h"

namespace envdoctor::run_program_command {
namespace {

constexpr int not_used = 1, unknown_use = 3;

void declare(Arguments& arguments, Options& options) {
  RunOptions& run = options.run;
  arguments.option("--device", run.device, "device on which CMD runs", {.shown = "cpu|gpu|gpu:N|gpu:UUID"});
  arguments.flag("--deterministic", run.deterministic, "bit-identical runs, as far as variables can ensure it");
  arguments.option("--tf32", run.tf32, "TF32 in matrix products", {.words = {"on", "off"}});
  arguments.flag("--memory-growth", run.memory_growth, "allocate GPU memory as needed");
  arguments.flag("--require-gpu", run.require_gpu, "exit status 1 unless CMD used a GPU, 3 if unknown");
  arguments.flag("--print-env", run.print_env, "print the variables for eval, and start nothing");
  arguments.flag("--quiet", run.quiet, "report only if CMD ran elsewhere than asked");
  arguments.option("command", options.arguments, "CMD and its arguments, after --", {.shown = "-- CMD..."});
  arguments.footer(
      "Exit status: that of CMD; 126 CMD cannot be started, 127 CMD not found,\n128+N signal N ended CMD.");
}

Watched seen_by(BackgroundChild& watcher) {
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
  return verdict.use == DeviceUse::unknown ? unknown_use : not_used;
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
    throw UsageError("run needs a command: envdoctor run --device gpu -- CMD. See 'envdoctor run --help'.");
  if (run.require_gpu && run.device == "cpu") throw UsageError("--require-gpu and --device cpu contradict each other.");

  const Foreground program(options.arguments, changed_environment(env, changes));  // from here on signals are held
  if (run.deterministic && !run.quiet)
    tell(fmt::format("envdoctor: variables do not make this fully deterministic: {}\n",
                     knowledge::left_by_switch("deterministic")));
  if (program.error() != 0) {
    tell(fmt::format("envdoctor: {}: {}\n", options.arguments.front(), std::strerror(program.error())));
    return shell_status_of(program.error());
  }
  BackgroundChild watcher(watch_process(program.pid(), {.redact = options.redact}));
  const int status = program.wait();
  const Watched seen = seen_by(watcher);
  const ProcessVerdict verdict = judge_process(seen);
  if (!run.quiet || !as_asked(run, verdict)) tell(fmt::format("envdoctor: {}\n", use_line(seen, verdict)));
  return run.require_gpu ? required(status, verdict) : status;
}

}  // namespace

const Command command = {"run", "run a program on a device, and verify it", declare, run};

}  // namespace envdoctor::run_program_command
