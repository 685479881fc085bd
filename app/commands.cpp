#include "app/commands.h"

#include <algorithm>
#include <string_view>

#include "knowledge/knowledge.h"

namespace envdoctor {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = {
      check_command,   show_command,        capture_command, diagnose_command,   verify_command,  bench_command,
      compare_command, run_program_command, pid_command,     script_command,     visible_command, fleet_command,
      expect_command,  explain_command,     list_command,    completion_command,
  };
  return commands;
}

int run_command(const Options& options) {
  if (!options.knowledge.empty()) knowledge::use_folder(options.knowledge);
  const auto named = [&](const Command& command) { return command.name == std::string_view(options.command); };
  return std::ranges::find_if(all_commands(), named)->run(options);
}

}  // namespace envdoctor
