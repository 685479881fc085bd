#include "app/commands/commands.h"
#include "app/options/command_words.h"
#include "app/output/output_files.h"

namespace envdoctor::completion_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("shell", options.arguments, "the shell; man prints the manual page",
                   {.words = {"bash", "zsh", "fish", "man"}, .one = true, .required = true});
}

int run(const Options& options) {
  const auto words = command_words();
  const std::string& shell = options.arguments.front();
  write_out(shell == "man" ? manual(words) : completion(words, shell));
  return 0;
}

}  // namespace

const Command command = {"completion", "print shell completions or the manual page", declare, run};

}  // namespace envdoctor::completion_command
