#include "app/options/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/commands.h"
#include "app/commands/kernel_runs.h"
#include "app/options/command_line.h"
#include "app/options/input_files.h"
#include "app/options/suggestions.h"
#include "app/output/version.h"
#include "evidence/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

// What may precede ".min": copies are timed under three names.
std::vector<std::string> speeds() {
  std::vector<std::string> names = timed_kernel_names();
  std::erase(names, "copy");
  names.insert(names.end(), {"copy-in", "copy-out", "copy-device"});
  return names;
}

// An unknown kernel's expectation would fail on every host.
void check_kernel(const std::string& key) {
  if (expect_key(key)->key != std::string_view("*.min")) return;
  const std::vector<std::string> known = speeds();
  const std::string kernel = key.substr(0, key.rfind('.'));
  if (std::ranges::find(known, kernel) != known.end()) return;
  std::vector<std::string> meant = known;
  for (const ExpectKey& other : expect_keys()) meant.emplace_back(other.key);
  throw UsageError(fmt::format("--expect {}: 'envdoctor bench' times no such kernel{}. Kernels: {}", key,
                               did_you_mean(kernel, meant), fmt::join(known, ", ")));
}

// The arguments of --expect, in order: KEY=VALUE, or a TOML file where one of that name exists or the name ends in
// .toml. Throws UsageError and BadExpectation.
Expectations expectations_named(const std::vector<std::string>& texts) {
  Expectations all;
  for (const std::string& text : texts) {
    std::error_code none;
    if (text.ends_with(".toml") || std::filesystem::is_regular_file(text, none)) {
      Expectations from_file = read_expectations(read_input(text), text);
      all.wanted.insert(all.wanted.end(), from_file.wanted.begin(), from_file.wanted.end());
      all.waivers.insert(all.waivers.end(), from_file.waivers.begin(), from_file.waivers.end());
    } else {
      try {
        all.wanted.push_back(read_expectation(text));
      } catch (const BadExpectation& error) {
        throw UsageError(fmt::format("--expect {}", error.what()));
      }
    }
  }
  for (const Expectation& wanted : all.wanted) check_kernel(wanted.key);
  return all;
}

// "json=r.json" or "r.json".
Output parse_output(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == text.npos || text.find('/') < equals) return {{}, text};
  const std::string format = text.substr(0, equals);
  if (format_named(format)) return {format, text.substr(equals + 1)};
  const auto names = names_in(all_formats());
  throw UsageError(fmt::format("-o {}: no format '{}'{}. Formats: {}. For a file of that name use ./{}", text, format,
                               did_you_mean(format, names), fmt::join(names, ", "), text));
}

// Checked before a run that takes minutes instead of after it.
void check_folder(const std::string& path) {
  if (path.empty()) throw UsageError("-o: the name of a file is missing");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code none;
  if (!folder.empty() && !std::filesystem::is_directory(folder, none))
    throw UsageError(fmt::format("{}: cannot write: folder {} does not exist", path, folder.string()));
}

// An option that takes one of a few words, each of which means a value.
template <class T>
void add_words(Arguments& arguments, const std::string& name, T& target,
               const std::vector<std::pair<std::string, T>>& words, const std::string& help) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  const std::function<void(const std::string&)> take = [&target, words](const std::string& typed) {
    target = std::ranges::find(words, typed, &std::pair<std::string, T>::first)->second;
  };
  arguments.option(name, take, help, {.words = names});
}

// Long descriptions are wrapped, so that help fits 80 columns.
class Columns : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = wrap("", CLI::Formatter::make_option_desc(option), 48);
    return text.substr(0, text.find_last_not_of('\n') + 1);
  }
};

// The options of every command that writes a report.
void add_report_options(Arguments& arguments, Options& options, std::vector<std::string>& outputs,
                        std::vector<std::string>& expectations) {
  const Takes ids{.shown = "ID[,ID]", .with_commas = true};
  const auto formats = names_in(all_formats());
  arguments.option("--format", options.format, fmt::format("format of standard output: {}", fmt::join(formats, ", ")),
                   {.shown = "FORMAT", .words = formats});
  arguments.option("-o,--output", outputs, "write to a file; may be repeated", {.shown = "[FORMAT=]FILE"});
  arguments.option("--only", options.only, "run only these diagnoses or families", ids);
  arguments.option("--skip", options.skip, "skip these diagnoses or families", ids);
  arguments.option("--expect", expectations, "requirement for this host; see 'envdoctor expect'",
                   {.shown = "FILE|KEY=VALUE"});
  add_words<FailOn>(arguments, "--fail-on", options.fail_on,
                    {{"error", FailOn::error}, {"warning", FailOn::warning}, {"never", FailOn::never}},
                    "lowest severity that sets exit status 1");
}

void add_gather_options(Arguments& arguments, Options& options) {
  arguments.flag("--quick", options.quick, "read only files and driver libraries");
  arguments.option("--python", options.python, "Python environment to check (default: the active one)",
                   {.shown = "PATH|ENV|KERNEL"});
  arguments.option("--timeout", options.timeout_s, "time limit of the whole run (default 120)",
                   {.shown = "SECONDS", .between = {1, 86400}});
  arguments.flag(
      "--no-redact", [&options] { options.redact = false; }, "do not redact UUIDs, home folders and names");
}

void check_names(const std::vector<std::string>& names) {
  if (names.empty()) return;
  const auto known = diagnosis_names();
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end())
      throw UsageError(
          fmt::format("no diagnosis or family '{}'{}. See 'envdoctor list'.", name, did_you_mean(name, known)));
  }
}

}  // namespace

CommandLine::CommandLine(std::span<const char* const> typed)
    : app("Finds out whether this host's GPUs will be used; if not, the cause and the fix.", "envdoctor") {
  app.set_version_flag("--version", version_text(), "print the version and build information");
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<Columns>());
  app.get_formatter()->column_width(32);
  app.set_help_flag("-h,--help", "print this help");
  app.failure_message(CLI::FailureMessage::simple);
  Arguments arguments(app);
  add_words<ColorWhen>(arguments, "--color", options.color,
                       {{"auto", ColorWhen::automatic}, {"always", ColorWhen::always}, {"never", ColorWhen::never}},
                       "colour in the text report");
  arguments.option("--knowledge", options.knowledge, "use JSON tables of this folder instead of built-in ones",
                   {.shown = "FOLDER", .folder = true});
  arguments.flag("-v,--verbose", options.verbose, "show all evidence, unknown checks and probe times");
  app.footer(
      "Exit status: 0 no finding at or above --fail-on, 1 at least one, 2 the command\n"
      "line or an input file is invalid, 3 something needed is unknown.");
  app.fallthrough();
  add_report_options(arguments, options, outputs, expectations);
  add_gather_options(arguments, options);
  const auto is_typed = [typed](const Command& command) {
    return std::ranges::any_of(typed, [&](std::string_view word) { return word == command.name; });
  };
  const bool all = std::ranges::none_of(all_commands(), is_typed);
  for (const Command& command : all_commands()) {
    auto* subcommand = app.add_subcommand(command.name, command.help)->fallthrough();
    Arguments own(*subcommand);
    if (command.declare && (all || is_typed(command))) command.declare(own, options);
  }
}

std::chrono::milliseconds time_left(const Options& options) {
  const auto left = options.until - std::chrono::steady_clock::now();
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(left), std::chrono::milliseconds(0));
}

void read_named_files(Options& options) {
  for (const Output& output : options.outputs) check_folder(output.path);
  options.expectations = expectations_named(options.expected);
}

Options parse_options(int argc, const char* const* argv, std::string& printed) {
  CommandLine line({argv, static_cast<std::size_t>(argc)});
  CLI::App& app = line.app;
  Options& options = line.options;
  const auto see_help = [&] {
    return "See 'envdoctor " + (app.get_subcommands().empty() ? "" : options.command + " ") + "--help'.";
  };
  try {
    if (argc > 1 && argv[1][0] != '-') {
      const auto commands = names_in(all_commands());
      if (std::ranges::find(commands, argv[1]) == commands.end())
        throw UsageError(fmt::format("'{}' is not an envdoctor command{}. See 'envdoctor --help'.", argv[1],
                                     did_you_mean(argv[1], commands)));
    }
    // Arguments after "--" belong to the program: the parser would take brackets in them for lists.
    const char* const* end = argv + argc;
    const bool runs = argc > 1 && argv[1] == std::string_view("run");
    const auto* behind = runs ? std::find(argv, end, std::string_view("--")) : end;
    app.parse(static_cast<int>(behind - argv), argv);
    if (behind != end) options.arguments.assign(behind + 1, end);
  } catch (const CLI::CallForVersion&) {
    printed = app.version() + "\n";
    return options;
  } catch (const CLI::Success&) {
    printed = app.help();
    for (auto* command : app.get_subcommands())
      printed = command->help("envdoctor") + "\nOptions of all commands: envdoctor --help\n";
    return options;
  } catch (const CLI::ParseError& error) {
    for (auto* command : app.get_subcommands()) options.command = command->get_name();
    throw UsageError(std::string(error.what()) + ". " + see_help());
  }
  for (auto* command : app.get_subcommands()) options.command = command->get_name();
  options.until = std::chrono::steady_clock::now() + std::chrono::seconds(options.timeout_s);
  options.timeout_given = app.count("--timeout") > 0;
  limit_reading(std::chrono::seconds(options.timeout_s), options.timeout_given);
  for (const std::string& text : line.outputs) options.outputs.push_back(parse_output(text));
  options.expected = line.expectations;
  check_names(options.only);
  check_names(options.skip);
  return options;
}

}  // namespace envdoctor
