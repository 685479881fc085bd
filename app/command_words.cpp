#include "app/command_words.h"

#include <CLI/CLI.hpp>

#include "app/names.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const auto end = std::min(text.find(at, from), text.size());
    parts.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words{.takes = option.get_option_text(), .help = option.get_description()};
  for (const std::string& name : option.get_snames()) words.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) words.names.push_back("--" + name);
  if (option.get_positional()) words.names = {option.get_name(true)};
  if (words.takes.find('|') != words.takes.npos) words.values = split(words.takes, '|');
  if (words.takes.empty() && option.get_items_expected_max() > 0) words.takes = "VALUE";
  return words;
}

// Arguments whose values are known, but too many for --help.
void add_values(CommandWords& command) {
  if (command.arguments.empty()) return;
  if (command.name == "explain") command.arguments.front().values = diagnosis_names();
  if (command.name == "show") command.arguments.front().values = show_sections();
}

CommandWords words_of(const CLI::App& app, const std::string& name) {
  CommandWords command{.name = name, .help = app.get_description()};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? command.arguments : command.options).push_back(words_of(*option));
  add_values(command);
  return command;
}

}  // namespace

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> all = {words_of(app, "")};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(words_of(*command, command->get_name()));
  return all;
}

}  // namespace envdoctor
