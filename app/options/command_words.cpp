#include "app/options/command_words.h"

#include <algorithm>

#include "app/commands/kernel_runs.h"
#include "app/options/command_line.h"
#include "app/options/suggestions.h"
#include "compare/arrays.h"
#include "knowledge/topic_texts.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

OptionWords words_of(const CLI::Option& option) {
  OptionWords words{.takes = option.get_option_text(), .help = option.get_description()};
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (option.get_positional()) words.names = {option.get_name(true)};
  if (words.takes.find('|') != words.takes.npos) words.values = CLI::detail::split(words.takes, '|');
  if (words.takes.empty() && option.get_items_expected_max() > 0) words.takes = "VALUE";
  return words;
}

std::vector<std::string> families() {
  std::vector<std::string> names = diagnosis_names();
  std::erase_if(names, [](const std::string& name) { return name.find('.') != name.npos; });
  return names;
}

// Arguments whose values are known, but too many for --help.
void add_values(CommandWords& command) {
  for (OptionWords& option : command.options) {
    const std::string& name = option.names.back();
    if (name == "--only" || name == "--skip") option.values = families();
    if (name == "--kernel") option.values = command.name == "bench" ? timed_kernel_names() : kernel_names();
    if (name == "--format") option.values = names_in(all_formats());
    if (name == "--op") option.values = compare::known_operations();
  }
  if (command.arguments.empty()) return;
  std::vector<std::string>& values = command.arguments.front().values;
  if (command.name == "show") values = show_sections();
  if (command.name != "explain") return;
  values = diagnosis_names();
  for (const std::string_view topic : knowledge::topics()) values.emplace_back(topic);
}

CommandWords words_of(const CLI::App& app, const std::string& name) {
  CommandWords command{.name = name, .help = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? command.arguments : command.options).push_back(words_of(*option));
  add_values(command);
  return command;
}

}  // namespace

std::vector<CommandWords> command_words() {
  const CommandLine line;
  std::vector<CommandWords> all = {words_of(line.app, "")};
  for (const CLI::App* command : line.app.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(words_of(*command, command->get_name()));
  return all;
}

}  // namespace envdoctor
