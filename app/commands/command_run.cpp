#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "app/commands/commands.h"
#include "app/commands/gather.h"
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
constexpr std::int64_t most_gap_ms = 200;  // until a line that is due is printed

void declare(Arguments& arguments, Options& options) {
  RunOptions& run = options.run;
  arguments.option("--device", run.device, "device on which CMD runs", {.shown = "cpu|gpu|gpu:N|gpu:UUID"});
  arguments.flag("--deterministic", run.deterministic, "bit-identical runs, as far as variables can ensure it");
  arguments.option("--tf32", run.tf32, "TF32 in matrix products", {.words = {"on", "off"}});
  arguments.flag("--memory-growth", run.memory_growth, "allocate GPU memory as needed");
  arguments.flag("--require-gpu", run.require_gpu,
                 "exit status 1 unless CMD used a GPU, 3 if unknown; CMD isn't started where none can be had");
  arguments.flag("--print-env", run.print_env, "print the variables for eval, and start nothing");
  arguments.option("--watch", run.watch, "a line on standard error every N seconds, and at the end where the time went",
                   {.shown = "N", .between = {0.1, 86400}});
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

bool as_asked(const RunOptions& run, const Watched& seen, const ProcessVerdict& verdict) {
  if (run.device == "cpu") return computed_on_cpu(seen, verdict);
  return verdict.use == DeviceUse::ran || (run.device.empty() && !run.require_gpu);
}

int required(int status, const ProcessVerdict& verdict) {
  if (status != 0 || verdict.busy_at_all) return status;
  return verdict.use == DeviceUse::unknown ? unknown_use : not_used;
}

// The host's GPUs, as nvidia-smi counts them where the kernel lists none (WSL2). Throws where there is none.
std::vector<ListedGpu> gpus_to_choose_from(const Options& options) {
  std::vector<ListedGpu> gpus = list_gpus(*open_files("/"));
  if (!gpus.empty()) return gpus;
  const Snapshot here = gather_here(options, {"nvidia", "device-nodes"}, Launches::none);
  if (const Nvidia* nvidia = here.nvidia.get()) {
    for (const NvidiaDevice& device : nvidia->devices.or_empty())
      gpus.push_back({"nvidia", std::ssize(gpus), device.uuid.or_empty(), device.pci_address.or_empty()});
  }
  if (const std::string why = why_no_gpu(here.device_nodes); gpus.empty() && !why.empty())
    throw UsageError(fmt::format("--device {}: {}", options.run.device, why));
  return gpus;
}

// Why CMD could not use a GPU with these variables; empty: it can. The driver is asked with the environment that CMD
// will have.
std::string why_none_can_be_had(const Options& options, const std::vector<EnvChange>& changes) {
  for (const EnvChange& change : changes) {
    if (change.value)
      ::setenv(change.name.c_str(), change.value->c_str(), 1);
    else
      ::unsetenv(change.name.c_str());
  }
  Snapshot here = gather_here(options, {"nvidia", "device-nodes"}, Launches::none);
  if (auto* nodes = here.device_nodes.get()) {
    for (DeviceNode& node : *nodes)
      node.accessible = ::access(node.path.or_empty().c_str(), R_OK | W_OK) == 0 || errno != EACCES;
  }
  if (std::string why = why_no_gpu(here.device_nodes); !why.empty()) return why;
  const auto gpus = list_gpus(*open_files("/"));
  const bool others = std::ranges::any_of(gpus, [](const ListedGpu& gpu) { return gpu.vendor != "nvidia"; });
  const Nvidia* nvidia = here.nvidia.get();
  const std::string* error = nvidia ? nvidia->cuinit_error.get() : nullptr;
  return error && !others ? "cuInit: " + *error : "";
}

int run(const Options& options) {
  const RunOptions& run = options.run;
  const auto env = environment();
  const auto changes = environment_changes(
      run, run.device.starts_with("gpu:") ? gpus_to_choose_from(options) : std::vector<ListedGpu>{}, env);
  if (run.print_env) {
    write_out(shell_lines(changes, options.verbose));
    return 0;
  }
  if (options.arguments.empty())
    throw UsageError("run needs a command: envdoctor run --device gpu -- CMD. See 'envdoctor run --help'.");
  if (run.require_gpu && run.device == "cpu") throw UsageError("--require-gpu and --device cpu contradict each other.");
  if (const std::string why = run.require_gpu ? why_none_can_be_had(options, changes) : ""; !why.empty()) {
    print_message(
        fmt::format("envdoctor: no GPU can be had: {}. {} was not started.\n", why, options.arguments.front()));
    return not_used;
  }

  const Foreground program(options.arguments, changed_environment(env, changes));  // signals are held from here on
  if (run.deterministic && !run.quiet)
    print_message(fmt::format("envdoctor: variables do not make this fully deterministic: {}\n",
                              knowledge::left_by_switch("deterministic")));
  if (program.error() != 0) {
    print_message(fmt::format("envdoctor: {}: {}\n", options.arguments.front(), std::strerror(program.error())));
    return shell_status_of(program.error());
  }
  const Milliseconds every(static_cast<std::int64_t>(run.watch * 1000));
  BackgroundChild watcher(watch_process(program.pid(), {.redact = options.redact, .every = every}));
  WatchedTime time;
  const auto follow = [&](const Watched& now) {
    if (const std::string line = time.line(now); !line.empty()) print_message(fmt::format("envdoctor: {}\n", line));
  };
  const int status = program.wait(static_cast<int>(std::min<std::int64_t>(every.count(), most_gap_ms)), [&] {
    if (watcher && watcher.read()) follow(watched_from_json(watcher.answer(), "the watcher"));
  });
  const Watched seen = seen_by(watcher);
  const ProcessVerdict verdict = judge_process(seen);
  if (run.watch > 0) {
    (void)time.line(seen);
    if (const std::string went = time.where_it_went(); !went.empty())
      print_message(fmt::format("envdoctor: {}\n", went));
  }
  if (!run.quiet || !as_asked(run, seen, verdict))
    print_message(fmt::format("envdoctor: {}\n", run.device == "cpu" && as_asked(run, seen, verdict)
                                                     ? "ran on the CPU, as asked"
                                                     : use_line(seen, verdict)));
  return run.require_gpu ? required(status, verdict) : status;
}

}  // namespace

const Command command = {"run", "run a program on a device, and verify it", declare, run};

}  // namespace envdoctor::run_program_command
