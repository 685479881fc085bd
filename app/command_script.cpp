#include "app/commands.h"
#include "app/environment.h"
#include "app/files.h"
#include "app/gather.h"
#include "app/reporting.h"
#include "evidence/merge.h"
#include "probe/probes.h"
#include "probe/redact.h"
#include "probe/script.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("file", options.arguments, "a training script; - is standard input")
      .values(1, 1)
      .required()
      .shown("FILE.py");
}

// The interpreter that the environment's probe found, else the one that a shell would start.
std::string python_for(const Snapshot& here) {
  const auto* python = here.python.get();
  const auto* executable = python ? python->executable.get() : nullptr;
  if (executable && executable->starts_with('/')) return *executable;
  const auto* prefix = python ? python->prefix.get() : nullptr;
  const std::string beside = prefix ? *prefix + "/bin/python3" : "";
  return !beside.empty() && open_files("/")->status(beside).get() ? beside : "python3";
}

int script(const Options& options) {
  const std::string& path = options.arguments.front();
  const std::string content = read_input(path);
  const auto files = open_files("/");
  const Host host{.files = *files, .env = environment()};
  require_python(host, options);
  // Only what the script is held against: the packages, and how many GPUs there are. Redacted below, once.
  Snapshot seen = gather(host, {.redact = false,
                                .probes = {"pci", "env", "python"},
                                .whole = std::chrono::seconds(options.timeout_s),
                                .python = options.python,
                                .by = std::string("envdoctor ") + ENVDOCTOR_VERSION});
  seen.log = read_script(content, shown_name(path), python_for(seen), std::chrono::seconds(options.timeout_s));
  if (seen.log.outcome() == Outcome::failed)
    throw UsageError("the script was not read: " + seen.log.why() + ". Name another Python by PATH.");
  if (options.redact) redact(seen, identity_of(host));
  JudgeOptions judging = judge_options(options, false);
  if (judging.only.empty()) judging.only = {"script"};
  const Report report = judge(seen, judging);
  write_reports(report, options);
  return exit_status(report, options.fail_on);
}

}  // namespace

const Command script_command = {"script", "what a training script does wrong with devices", declare, script};

}  // namespace envdoctor
