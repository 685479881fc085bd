#include "app/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "app/arguments.h"
#include "app/command_line.h"
#include "app/commands.h"
#include "app/expectations.h"
#include "app/names.h"
#include "app/version.h"
#include "reports/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

// "json=r.json" or "r.json".
Output parse_output(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == text.npos || text.find('/') < equals) return {{}, text};
  const std::string format = text.substr(0, equals);
  if (format_named(format)) return {format, text.substr(equals + 1)};
  std::vector<std::string> names;
  for (const Format& known : all_formats()) names.emplace_back(known.name);
  throw UsageError(fmt::format("-o {}: no format {}{}. There are: {}; ./{} is a file of that name", text, format,
                               did_you_mean(format, names), fmt::join(names, ", "), text));
}

// Told before a run of minutes instead of after it.
void check_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code none;
  if (!folder.empty() && !std::filesystem::is_directory(folder, none))
    throw UsageError(fmt::format("{}: cannot write: there is no folder {}", path, folder.string()));
}

// An option that takes one of a few words, each standing for a value.
template <class T>
void add_words(Arguments& arguments, const std::string& name, T& target,
               const std::vector<std::pair<std::string, T>>& words, const std::string& help) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  const auto take = [&target, words](const std::string& typed) {
    target = std::ranges::find(words, typed, &std::pair<std::string, T>::first)->second;
  };
  arguments.option(name, take, help).one_of(names);
}

// Descriptions go on below themselves, so that help has 80 columns.
class Columns : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_option_desc(const CLI::Option* option) const override {
    const std::string text = wrap("", CLI::Formatter::make_option_desc(option), 48);
    return text.substr(0, text.find_last_not_of('\n') + 1);
  }
};

// What every command that makes a report takes.
void add_report_options(Arguments& arguments, Options& options, std::vector<std::string>& outputs,
                        std::vector<std::string>& expectations) {
  std::vector<std::string> names;
  for (const Format& format : all_formats()) names.emplace_back(format.name);
  arguments.option("--format", options.format, "what standard output carries").one_of(names);
  arguments.option("-o,--output", outputs, "write to a file instead; may be repeated").shown("[FORMAT=]FILE");
  arguments.option("--only", options.only, "only these diagnoses or families").with_commas().shown("ID[,ID]");
  arguments.option("--skip", options.skip, "not these diagnoses or families").with_commas().shown("ID[,ID]");
  arguments.option("--expect", expectations, "what this host must be; see 'expect'").shown("FILE|KEY=VALUE");
  add_words<FailOn>(arguments, "--fail-on", options.fail_on,
                    {{"error", FailOn::error}, {"warning", FailOn::warning}, {"never", FailOn::never}},
                    "from which severity the exit status is 1");
}

void add_gather_options(Arguments& arguments, Options& options) {
  arguments.flag("--quick", options.quick, "files and driver libraries only");
  arguments.option("--python", options.python, "which Python is meant; else the active one").shown("PATH|ENV|KERNEL");
  arguments.option("--timeout", options.timeout_s, "limit of the whole run, 120 unless told")
      .between(1, 86400)
      .shown("SECONDS");
  arguments.flag(
      "--no-redact", [&options] { options.redact = false; }, "keep UUIDs, home folders and names");
}

void check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (is_diagnosis_or_family(name)) continue;
    throw UsageError(fmt::format("{}: no such diagnosis or family{}. See 'envdoctor list'.", name,
                                 did_you_mean(name, diagnosis_names())));
  }
}

}  // namespace

CommandLine::CommandLine()
    : app("Will this machine's GPUs really be used? If not: the one cause, and the fix.", "envdoctor") {
  app.set_version_flag("--version", version_text(), "the version, and how it was built");
  app.require_subcommand(0, 1);
  app.formatter(std::make_shared<Columns>());
  app.get_formatter()->column_width(32);
  app.set_help_flag("-h,--help", "this text");
  app.failure_message(CLI::FailureMessage::simple);
  Arguments arguments(app);
  add_words<ColorWhen>(arguments, "--color", options.color,
                       {{"auto", ColorWhen::automatic}, {"always", ColorWhen::always}, {"never", ColorWhen::never}},
                       "colour in the text report");
  arguments.option("--knowledge", options.knowledge, "JSON tables that replace the built-in ones")
      .a_folder()
      .shown("FOLDER");
  arguments.flag("-v,--verbose", options.verbose, "all evidence, what is unknown, probe times");
  app.footer(
      "Exit status: 0 nothing at or above --fail-on, 1 something is, 2 the command\n"
      "line or an input is wrong, 3 something needed is unknown.");
  app.fallthrough();
  add_report_options(arguments, options, outputs, expectations);
  add_gather_options(arguments, options);
  for (const Command& command : all_commands()) {
    auto* subcommand = app.add_subcommand(command.name, command.help)->fallthrough();
    Arguments own(*subcommand);
    if (command.declare) command.declare(own, options);
  }
}

Options parse_options(int argc, const char* const* argv, std::string& printed) {
  CommandLine line;
  CLI::App& app = line.app;
  Options& options = line.options;
  const auto own_words = [&] {
    return "'envdoctor " + (app.get_subcommands().empty() ? "" : options.command + " ") +
           "--help' tells what it takes.";
  };
  try {
    if (argc > 1 && argv[1][0] != '-') {
      const auto commands = command_names();
      if (std::ranges::find(commands, argv[1]) == commands.end())
        throw UsageError(
            fmt::format("'{}' is no command{}. See 'envdoctor --help'.", argv[1], did_you_mean(argv[1], commands)));
    }
    // What stands behind "--" belongs to the program that is run: the parser would take brackets in it for lists.
    const char* const* end = argv + argc;
    const bool runs = argc > 1 && argv[1] == std::string_view("run");
    const auto* behind = runs ? std::find(argv, end, std::string_view("--")) : end;
    app.parse(static_cast<int>(behind - argv), argv);
    if (behind != end) options.arguments.assign(behind + 1, end);
  } catch (const CLI::CallForVersion&) {
    printed = app.version() + "\n";
    return options;
  } catch (const CLI::Success&) {
    for (auto* command : app.get_subcommands()) {
      printed = command->help("envdoctor") + "\nOptions of all commands: envdoctor --help\n";
      return options;
    }
    printed = app.help();
    return options;
  } catch (const CLI::ParseError& error) {
    for (auto* command : app.get_subcommands()) options.command = command->get_name();
    throw UsageError(std::string(error.what()) + ". " + own_words());
  }
  for (auto* command : app.get_subcommands()) options.command = command->get_name();
  for (const std::string& text : line.outputs) options.outputs.push_back(parse_output(text));
  for (const Output& output : options.outputs) check_folder(output.path);
  options.expectations = expectations_named(line.expectations);
  check_names(options.only);
  check_names(options.skip);
  return options;
}

}  // namespace envdoctor
