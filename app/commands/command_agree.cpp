#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/commands.h"
#include "app/commands/gather.h"
#include "app/options/input_files.h"
#include "app/output/output_files.h"
#include "app/output/reporting.h"
#include "probe/model_run.h"
#include "probe/python/framework_queries.h"
#include "probe/redaction/redact.h"

namespace envdoctor::agree_command {
namespace {

namespace fs = std::filesystem;

void declare(Arguments& arguments, Options& options) {
  AgreeWishes& wishes = options.agree;
  arguments.option("model", options.arguments, "a saved model, or the function that builds it",
                   {.shown = "MODEL.keras|FOLDER|SCRIPT.py:FUNCTION|MODULE:FUNCTION", .one = true, .required = true});
  arguments.option("--against", wishes.against, "the other side (default: cpu for a model on a GPU, else fp64)",
                   {.words = {"cpu", "fp64", "tf32", "bf16", "deterministic"}, .one = true});
  arguments.option("--input", wishes.input, "inputs for the model (default: random ones)",
                   {.shown = "FILE.npy|FILE.npz", .one = true});
  arguments.option("--seed", wishes.seed, "seed of random inputs (default 1)",
                   {.shown = "SEED", .between = {0, 4294967295.0}, .one = true});
  arguments.flag("--gradients", wishes.gradients, "compare the gradients of all weights, too");
  arguments.flag("--allow-code", wishes.allow_code, "load pickles and Lambda layers, which run code of their author");
  arguments.option("--memory", wishes.memory_mib, "memory limit; more is refused before it is used (default 16384)",
                   {.shown = "MIB", .between = {64, 16'777'216}, .one = true});
}

// "model.keras" and "script.py:build" by their absolute paths; "module:function" as it is.
ModelRun run_of(const Options& options) {
  const std::string& named = options.arguments.front();
  const AgreeWishes& wishes = options.agree;
  ModelRun run{.model = named,
               .input = wishes.input.empty() ? "" : fs::absolute(wishes.input).string(),
               .against = wishes.against,
               .seed = wishes.seed,
               .memory_mib = wishes.memory_mib,
               .gradients = wishes.gradients,
               .allow_code = wishes.allow_code};
  std::error_code error;
  if (!run.input.empty() && !fs::is_regular_file(run.input, error))
    throw UsageError("--input " + wishes.input + ": no such file");
  const auto colon = named.rfind(':');
  const bool is_path = fs::exists(named, error);
  if (!is_path && colon != named.npos && colon > 0 && colon + 1 < named.size()) {
    const std::string place = named.substr(0, colon);
    run.function = true;
    if (place.ends_with(".py")) {
      if (!fs::is_regular_file(place, error)) throw UsageError(place + ": no such file");
      run.model = fs::absolute(place).string() + named.substr(colon);
    } else if (place.find('/') != place.npos) {
      throw UsageError(named + ": a module has no / in its name; a script ends in .py, as in script.py:build");
    }
    run.shown = place.ends_with(".py") ? report_name(place, options.redact) + named.substr(colon) : named;
    return run;
  }
  if (!is_path)
    throw UsageError(named + ": no such file or folder; a function is named as script.py:build or module:function");
  if (fs::is_directory(named, error) && !fs::exists(fs::path(named) / "saved_model.pb", error))
    throw UsageError(named + ": the folder holds no saved_model.pb, so it is no SavedModel");
  if (named.ends_with(".py"))
    throw UsageError(named + ": name its function that builds the model, as in " + named + ":build");
  run.model = fs::absolute(named).string();
  run.shown = report_name(named, options.redact);
  return run;
}

int agree(const Options& options) {
  const ModelRun run = run_of(options);
  Options plain = options;
  plain.redact = false;  // the interpreter is started by its real path
  Snapshot snapshot = gather_here(plain, {"python", "host", "cpu", "nvidia", "env"}, Launches::none);
  const Text executable = snapshot.python.or_empty().executable;
  if (!executable.get()) throw UsageError("no Python found: name one by --python");
  std::function<void(const std::string&)> progress;
  if (isatty(STDERR_FILENO))
    progress = [](const std::string& step) {
      print_message("\r\033[K" + (step.empty() ? "starting Python" : step.substr(0, 70)));
    };
  snapshot.agree =
      run_model(run, *executable.get(), ask_environment(environment(), snapshot), time_left(options), progress);
  if (progress) print_message("\r\033[K");
  const auto files = open_files("/");
  if (options.redact) redact(snapshot, identity_of({.files = *files, .env = environment()}));
  JudgeOptions judging = judge_options(options, false);
  judging.of_model = true;
  return write_report(judge(snapshot, judging), options);
}

}  // namespace

const Command command = {"agree", "check your model layer by layer on two sides", declare, agree, true};

}  // namespace envdoctor::agree_command
