// The manual page, in the man macros.
#include <fmt/format.h>

#include "app/command_words.h"

namespace envdoctor {
namespace {

// Hyphens stay hyphens, and no line begins as a request.
std::string plain(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      if ((c == '.' || c == '\'') && (safe.empty() || safe.back() == '\n')) safe += "\\&";
      safe += c;
    }
  }
  return safe;
}

std::string paragraph(const OptionWords& option) {
  std::string head = fmt::format("\\fB{}\\fR", plain(fmt::format("{}", fmt::join(option.names, ", "))));
  if (!option.takes.empty()) head += fmt::format(" \\fI{}\\fR", plain(option.takes));
  return fmt::format(".TP\n{}\n{}\n", head, plain(option.help));
}

}  // namespace

std::string manual(const std::vector<CommandWords>& commands) {
  const CommandWords& program = commands.front();
  std::string page = fmt::format(
      ".TH ENVDOCTOR 1 \"\" \"envdoctor {}\"\n.SH NAME\nenvdoctor \\- tells whether this machine's GPUs will really be "
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
