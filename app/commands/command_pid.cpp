#include <fmt/format.h>
#include <poll.h>

#include <re2/re2.h>

#include "app/commands/commands.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "evidence/json.h"
#include "probe/process/process_watch.h"
#include "reports/reports.h"

namespace envdoctor::pid_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("pid", options.arguments, "a running process; its descendants count as well",
                   {.shown = "PID", .one = true, .required = true});
  arguments.option("--seconds", options.run.seconds, "how long to watch (default 2)",
                   {.shown = "SECONDS", .between = {0.1, 86400}});
  arguments.flag("--require-gpu", options.run.require_gpu, "exit status 1 unless it used a GPU, 3 if unknown");
}

int pid(const Options& options) {
  check_result_format(options, true);
  std::int64_t number = 0;
  if (!RE2::FullMatch(options.arguments.front(), "([0-9]+)", &number) || number == 0)
    throw UsageError(fmt::format("pid {}: not a process number", options.arguments.front()));
  if (!open_files("/")->status(fmt::format("/proc/{}", number)).get())
    throw UsageError(fmt::format("pid {}: no such process", number));
  BackgroundChild watcher(watch_process(number, {.redact = options.redact}));
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.run.seconds);
  while (watcher) {  // until the time is over, or the watcher has ended on its own
    const auto left = std::chrono::duration_cast<Milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) break;
    pollfd news{.fd = watcher.descriptor(), .events = POLLIN, .revents = 0};
    if (::poll(&news, 1, static_cast<int>(left)) > 0) watcher.read();
  }
  watcher.end(Milliseconds(3000));
  if (watcher.answer().empty()) throw UsageError(fmt::format("pid {}: the watcher {}", number, watcher.why_over()));
  const Watched seen = watched_from_json(watcher.answer(), "the watcher");
  const ProcessVerdict verdict = judge_process(seen);
  write_result(options, render_process(seen, verdict), to_json(seen));
  if (!options.run.require_gpu || verdict.busy_at_all) return 0;
  return verdict.use == DeviceUse::unknown ? 3 : 1;
}

}  // namespace

const Command command = {"pid", "check whether a running process uses a GPU", declare, pid};

}  // namespace envdoctor::pid_command
