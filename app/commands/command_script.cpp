#include "app/commands/commands.h"
#include "app/commands/gather.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "evidence/merge.h"
#include "probe/probes.h"
#include "probe/redact.h"
#include "probe/script.h"

namespace envdoctor::script_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("file", options.arguments, "a training script; - is standard input",
                   {.shown = "FILE.py", .one = true, .required = true});
}

// The interpreter that the environment's probe found, else the one that a shell would start.
std::string python_for(const Snapshot& here) {
  const Python& python = here.python.or_empty();
  if (python.executable.or_empty().starts_with('/')) return *python.executable.get();
  const std::string beside = python.prefix.or_empty() + "/bin/python3";
  return python.prefix.get() && open_files("/")->status(beside).get() ? beside : "python3";
}

int script(const Options& options) {
  const std::string& path = options.arguments.front();
  const std::string content = read_input(path);
  const auto files = open_files("/");
  const Host host{.files = *files, .env = environment()};
  require_python(host, options);
  // Only what the script is checked against: the packages, and how many GPUs there are. Redacted below, once.
  Snapshot seen = gather(host, {.redact = false,
                                .probes = {"pci", "env", "python"},
                                .whole = std::chrono::seconds(options.timeout_s),
                                .python = options.python,
                                .by = std::string("envdoctor ") + ENVDOCTOR_VERSION});
  seen.log = read_script(content, shown_name(path), python_for(seen), std::chrono::seconds(options.timeout_s));
  if (seen.log.outcome() == Outcome::failed)
    throw UsageError("cannot read the script: " + seen.log.why() + ". Use --python PATH to name another Python.");
  if (options.redact) redact(seen, identity_of(host));
  JudgeOptions judging = judge_options(options, false);
  if (judging.only.empty()) judging.only = {"script"};
  return write_report(judge(seen, judging), options);
}

}  // namespace

const Command command = {"script", "check how a training script uses devices", declare, script};

}  // namespace envdoctor::script_command
