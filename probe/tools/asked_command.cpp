#include "probe/tools/asked_command.h"

#include <algorithm>

#include "host/text.h"
#include "probe/tools/shell_session.h"

namespace envdoctor {

std::vector<AskedCommand> asked_commands(std::string_view text) {
  const std::vector<ShellCommand> session = shell_session(text);
  std::vector<AskedCommand> asked;
  std::vector<bool> prompted;  // a whole prompt behind it shows that the command ended
  for (const ShellCommand& command : session) {
    if (contains(command.prompt, "@") && !asked.empty() && asked.back().prompt == command.prompt)
      prompted.back() = true;
    if (command.typed.text.empty() || !command.engine.empty()) continue;
    AskedCommand one{
        .typed = command.typed.text, .whole = command.typed.text, .prompt = command.prompt, .row = command.typed.row};
    if (one.typed.starts_with("sudo ")) one.sudo = true, one.typed = trimmed(one.typed.substr(5));
    for (const ShellLine& line : command.output) {
      if (const std::string_view words = trimmed(line.text); !words.empty()) one.answers.push_back(words);
    }
    asked.push_back(std::move(one));
    prompted.push_back(false);
  }
  // Commands without any output may be a list of what somebody typed: one beside them must have printed something.
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool beside =
        (i + 1 < asked.size() && !asked[i + 1].answers.empty()) || (i > 0 && !asked[i - 1].answers.empty());
    const bool later = std::any_of(asked.begin() + static_cast<std::ptrdiff_t>(i) + 1, asked.end(),
                                   [](const AskedCommand& one) { return !one.answers.empty(); });
    asked[i].silent = asked[i].answers.empty() && beside && (later || prompted[i]);
  }
  return asked;
}

}  // namespace envdoctor
