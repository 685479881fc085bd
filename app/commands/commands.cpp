#include "app/commands/commands.h"

#include <algorithm>

#include "knowledge/knowledge.h"

namespace envdoctor {

#define ENVDOCTOR_COMMANDS(each)                                                                                  \
  each(check_command) each(show_command) each(capture_command) each(diagnose_command) each(verify_command)        \
      each(bench_command) each(compare_command) each(run_program_command) each(pid_command) each(script_command)  \
          each(visible_command) each(fleet_command) each(expect_command) each(explain_command) each(list_command) \
              each(completion_command)

#define ENVDOCTOR_DECLARE(name) \
  namespace name {              \
  extern const Command command; \
  }
ENVDOCTOR_COMMANDS(ENVDOCTOR_DECLARE)

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = {
#define ENVDOCTOR_LIST(name) name::command,
      ENVDOCTOR_COMMANDS(ENVDOCTOR_LIST)};
  return commands;
}

int run_command(const Options& options) {
  if (!options.knowledge.empty()) knowledge::use_folder(options.knowledge);
  const auto named = [&](const Command& command) { return command.name == std::string_view(options.command); };
  return std::ranges::find_if(all_commands(), named)->run(options);
}

}  // namespace envdoctor
