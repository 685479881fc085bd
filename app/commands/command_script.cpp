#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/commands.h"
#include "app/commands/gather.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "evidence/merge.h"
#include "probe/probes.h"
#include "probe/redaction/redact.h"
#include "probe/script.h"

namespace envdoctor::script_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("file", options.arguments, "a training script, a notebook, or a folder of them; - is standard input",
                   {.shown = "FILE.py|FILE.ipynb|FOLDER", .one = true, .required = true});
  arguments.flag("--here", options.here, "judge the script for this host's GPUs, not for any host's");
  arguments.footer(
      "--python PATH|ENV|KERNEL names the Python whose packages count (default: the\nactive one). A framework that it "
      "lacks is taken in the newest release that was\ntried; the report says which.");
}

namespace fs = std::filesystem;

constexpr std::size_t most_scripts = 1000;
constexpr std::size_t most_bytes = std::size_t{64} << 20;

// Skips hidden folders, such as .ipynb_checkpoints, and installed packages.
bool holds_own_scripts(const fs::path& folder) {
  std::error_code error;
  const std::string name = folder.filename();
  return !name.starts_with('.') && name != "__pycache__" && name != "site-packages" && name != "node_modules" &&
         !fs::exists(folder / "pyvenv.cfg", error);
}

// The scripts and notebooks below a folder, sorted; links are not followed.
std::vector<std::string> scripts_below(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error); !error && entry != fs::end(entry);
       entry.increment(error)) {
    const fs::path& path = entry->path();
    std::error_code unknown;
    if (entry->is_directory(unknown)) {
      if (!holds_own_scripts(path)) entry.disable_recursion_pending();
    } else if ((path.extension() == ".py" || path.extension() == ".ipynb") &&
               fs::is_regular_file(entry->symlink_status(unknown))) {
      found.push_back(path);
    }
    if (found.size() > most_scripts)
      throw UsageError(fmt::format("{} holds more than {} scripts; name a folder with fewer", folder, most_scripts));
  }
  if (error) throw UsageError(fmt::format("cannot list {}: {}", folder, error.message()));
  if (found.empty()) throw UsageError("script: no *.py or *.ipynb file found in " + folder);
  std::ranges::sort(found);
  return found;
}

std::vector<Script> scripts_named(const std::string& path, bool redacted) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const fs::path folder = path == "-" ? fs::path() : fs::absolute(path, error).parent_path();
    return {{read_input(path), shown_name(path), folder}};
  }
  std::vector<Script> scripts;
  std::size_t bytes = 0;
  for (const std::string& file : scripts_below(path)) {
    scripts.push_back({read_input(file), report_name(file, redacted), fs::absolute(file, error).parent_path()});
    bytes += scripts.back().content.size();
    if (bytes > most_bytes)
      throw UsageError(
          fmt::format("the scripts in {} hold more than {} MiB; name a folder with fewer", path, most_bytes >> 20));
  }
  return scripts;
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
  const std::vector<Script> scripts = scripts_named(path, options.redact);
  const auto files = open_files("/");
  const Host host{.files = *files, .env = environment()};
  require_python(host, options);
  // Only what the script is checked against: the packages, and how many GPUs there are. Redacted below, once.
  Snapshot seen = gather(host, {.redact = false,
                                .probes = {"pci", "env", "python"},
                                .whole = time_left(options),
                                .python = options.python,
                                .by = std::string("envdoctor ") + ENVDOCTOR_VERSION});
  seen.log = read_scripts(scripts, python_for(seen), time_left(options));
  if (seen.log.outcome() == Outcome::failed)
    throw UsageError("cannot read the script: " + seen.log.why() + ". Use --python PATH to name another Python.");
  for (Symptom& symptom : *seen.log.get()) {
    if (symptom.subject.is("script")) symptom.details["here"] = options.here ? "yes" : "no";
  }
  if (options.redact) redact(seen, identity_of(host));
  JudgeOptions judging = judge_options(options, false);
  if (judging.only.empty()) judging.only = {"script"};
  return write_report(judge(seen, judging), options);
}

}  // namespace

const Command command = {"script", "check how a training script uses devices", declare, script, true};

}  // namespace envdoctor::script_command
