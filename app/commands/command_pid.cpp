#include <fmt/format.h>
#include <poll.h>
#include <re2/re2.h>
#include <unistd.h>

#include <cerrno>

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
  arguments.flag("--until-input-ends", options.run.until_input_ends, "stop sooner when standard input ends");
  arguments.flag("--require-gpu", options.run.require_gpu, "exit status 1 unless it used a GPU");
  arguments.footer("Exit status: 3 where it can't be told whether it used a GPU, as of a process\nof another user.");
}

// Whether there was something to read, and whether it was the end of input.
bool input_ended() {
  char bytes[4096];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof(bytes));
  return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

int pid(const Options& options) {
  check_result_format(options, true);
  std::int64_t number = 0;
  if (!RE2::FullMatch(options.arguments.front(), "([0-9]+)", &number) || number == 0)
    throw UsageError(fmt::format("pid {}: not a process number", options.arguments.front()));
  if (!open_files("/")->status(fmt::format("/proc/{}", number)).get())
    throw UsageError(fmt::format("pid {}: no such process", number));
  // A program that asks about its own process has started this one, so this process is left out of the watched tree.
  BackgroundChild watcher(watch_process(number, {.redact = options.redact, .besides = {getpid()}}));
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.run.seconds);
  while (watcher) {  // until the time is up, or the watcher has ended by itself
    const auto left = std::chrono::duration_cast<Milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) break;
    pollfd news[] = {{.fd = watcher.descriptor(), .events = POLLIN, .revents = 0},
                     {.fd = options.run.until_input_ends ? STDIN_FILENO : -1, .events = POLLIN, .revents = 0}};
    if (::poll(news, 2, static_cast<int>(left)) <= 0) continue;
    if (news[0].revents != 0) watcher.read();
    if (news[1].revents != 0 && input_ended()) break;
  }
  watcher.end(Milliseconds(3000));
  if (watcher.answer().empty()) throw UsageError(fmt::format("pid {}: the watcher {}", number, watcher.why_over()));
  const Watched seen = watched_from_json(watcher.answer(), "the watcher");
  const ProcessVerdict verdict = judge_process(seen);
  write_result(options, render_process(seen, verdict), process_json(seen, verdict));
  if (verdict.busy_at_all) return 0;
  if (verdict.use == DeviceUse::unknown) return 3;
  return options.run.require_gpu ? 1 : 0;
}

}  // namespace

const Command command = {"pid", "check whether a running process uses a GPU", declare, pid};

}  // namespace envdoctor::pid_command
