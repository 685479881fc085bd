// Shell completions for "envdoctor", and the manual page in the man macros.
#include <fmt/format.h>
#include <re2/re2.h>

#include "app/options/command_words.h"

namespace envdoctor {
namespace {

using Commands = std::vector<CommandWords>;

std::string names_of(const Commands& commands, const char* between) {
  std::string names;
  for (const CommandWords& command : commands) {
    if (!command.name.empty()) names += (names.empty() ? "" : between) + command.name;
  }
  return names;
}

// All words that may follow a command: its options and the values of its arguments.
std::string typed_after(const CommandWords& command) {
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : " ") + word; };
  for (const OptionWords& option : command.options) {
    for (const std::string& name : option.names) add(name);
  }
  for (const OptionWords& argument : command.arguments) {
    for (const std::string& value : argument.values) add(value);
  }
  return words;
}

std::string bash(const Commands& commands) {
  std::string values, words;
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (option.takes.empty()) continue;
      const std::string offer = option.values.empty()
                                    ? std::string("compgen -f -- \"$current\"")
                                    : fmt::format("compgen -W '{}' -- \"$current\"", fmt::join(option.values, " "));
      values += fmt::format("    {}) mapfile -t COMPREPLY < <({}); return ;;\n", fmt::join(option.names, "|"), offer);
    }
    if (!command.name.empty()) words += fmt::format("    {}) words+=' {}' ;;\n", command.name, typed_after(command));
  }
  return fmt::format(R"(_envdoctor() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} word command='' words='{}'
  case $previous in
{}  esac
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {}) command=$word; break ;; esac
  done
  case $command in
    '') words+=' {}' ;;
{}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _envdoctor envdoctor
)",
                     typed_after(commands.front()), values, names_of(commands, "|"), names_of(commands, " "), words);
}

// A help text, quoted for zsh's _arguments or for fish.
std::string quoted(std::string text) {
  RE2::GlobalReplace(&text, "'", "’");
  RE2::GlobalReplace(&text, "[][:]", R"(\\\0)");
  return text;
}

std::string zsh_specs(const CommandWords& command) {
  std::string specs;
  const auto values = [](const OptionWords& option) {
    return option.values.empty() ? std::string("_files") : fmt::format("({})", fmt::join(option.values, " "));
  };
  for (const OptionWords& option : command.options) {
    for (const std::string& name : option.names) {
      specs += fmt::format(" \\\n        '{}[{}]{}'", name, quoted(option.help),
                           option.takes.empty() ? "" : ":value:" + values(option));
    }
  }
  for (const OptionWords& argument : command.arguments)
    specs += fmt::format(" \\\n        '*:argument:{}'", values(argument));
  return specs;
}

std::string zsh(const Commands& commands) {
  std::string described, cases;
  for (const CommandWords& command : commands) {
    if (command.name.empty()) continue;
    described += fmt::format("    '{}:{}'\n", command.name, quoted(command.help));
    cases += fmt::format("      {})\n        _arguments{}{} ;;\n", command.name, zsh_specs(commands.front()),
                         zsh_specs(command));
  }
  return fmt::format(R"(#compdef envdoctor
_envdoctor() {{
  local -a commands=(
{}  )
  _arguments -C{} \
        '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
{}      esac ;;
  esac
}}
_envdoctor "$@"
)",
                     described, zsh_specs(commands.front()), cases);
}

std::string fish(const Commands& commands) {
  std::string lines = "complete -c envdoctor -f\n";
  for (const CommandWords& command : commands) {
    const std::string when =
        command.name.empty() ? "" : fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name);
    if (!command.name.empty())
      lines += fmt::format("complete -c envdoctor -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                           quoted(command.help));
    for (const OptionWords& option : command.options) {
      lines += "complete -c envdoctor" + when;
      for (const std::string& name : option.names)
        lines += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.takes.empty())
        lines += option.values.empty() ? " -r -F" : fmt::format(" -x -a '{}'", fmt::join(option.values, " "));
      lines += fmt::format(" -d '{}'\n", quoted(option.help));
    }
    for (const OptionWords& argument : command.arguments)
      lines += fmt::format("complete -c envdoctor{} {}\n", when,
                           argument.values.empty() ? "-F" : fmt::format("-a '{}'", fmt::join(argument.values, " ")));
  }
  return lines;
}

// Escapes hyphens, and dots at the start of a line, which man would read as a request.
std::string plain(std::string text) {
  RE2::GlobalReplace(&text, R"(\\)", R"(\\e)");
  RE2::GlobalReplace(&text, "-", R"(\\-)");
  RE2::GlobalReplace(&text, "(?m)^[.']", R"(\\&\0)");
  return text;
}

std::string paragraph(const OptionWords& option) {
  std::string head = fmt::format("\\fB{}\\fR", plain(fmt::format("{}", fmt::join(option.names, ", "))));
  if (!option.takes.empty()) head += fmt::format(" \\fI{}\\fR", plain(option.takes));
  return fmt::format(".TP\n{}\n{}\n", head, plain(option.help));
}

}  // namespace

std::string completion(const Commands& commands, const std::string& shell) {
  return shell == "bash" ? bash(commands) : shell == "zsh" ? zsh(commands) : fish(commands);
}

std::string manual(const std::vector<CommandWords>& commands) {
  const CommandWords& program = commands.front();
  std::string page = fmt::format(
      ".TH ENVDOCTOR 1 \"\" \"envdoctor {}\"\n.SH NAME\nenvdoctor \\- find out whether this machine's GPUs will be "
      "used\n"
      ".SH SYNOPSIS\n.B envdoctor\n[\\fIOPTIONS\\fR] [\\fICOMMAND\\fR [\\fIARGUMENTS\\fR]]\n.SH DESCRIPTION\n{}\n"
      ".SH OPTIONS\nof all commands:\n",
      ENVDOCTOR_VERSION, plain(program.help));
  for (const OptionWords& option : program.options) page += paragraph(option);
  page += ".SH COMMANDS\n";
  for (const CommandWords& command : commands) {
    if (command.name.empty()) continue;
    page += fmt::format(".SS {}\n{}\n", plain(command.name), plain(command.help));
    for (const OptionWords& argument : command.arguments) page += paragraph(argument);
    for (const OptionWords& option : command.options) {
      if (option.names.back() != "--help") page += paragraph(option);
    }
    if (command.footer != program.footer) page += ".PP\n" + plain(command.footer) + "\n";
  }
  return page + ".SH \"EXIT STATUS\"\n" + plain(program.footer) + "\n";
}

}  // namespace envdoctor
