#include "app/command_line.h"
#include "app/command_words.h"
#include "app/commands.h"
#include "app/files.h"

namespace envdoctor {
namespace {

void declare(CLI::App& app, Options& options) {
  app.add_option("shell", options.arguments, "man prints the manual page instead")
      ->expected(1)
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish", "man"}))
      ->option_text("bash|zsh|fish|man");
}

int run(const Options& options) {
  const CommandLine line;
  const auto words = command_words(line.app);
  const std::string& shell = options.arguments.front();
  write_out(shell == "man" ? manual(words, line.app.get_footer()) : completion(words, shell));
  return 0;
}

}  // namespace

const Command completion_command = {"completion", "what a shell needs to complete our words", declare, run};

}  // namespace envdoctor
