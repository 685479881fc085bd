#include "app/command_words.h"
#include "app/commands.h"
#include "app/files.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("shell", options.arguments, "man prints the manual page instead")
      .values(1, 1)
      .required()
      .one_of({"bash", "zsh", "fish", "man"});
}

int run(const Options& options) {
  const auto words = command_words();
  const std::string& shell = options.arguments.front();
  write_out(shell == "man" ? manual(words) : completion(words, shell));
  return 0;
}

}  // namespace

const Command completion_command = {"completion", "what a shell needs to complete our words", declare, run};

}  // namespace envdoctor
