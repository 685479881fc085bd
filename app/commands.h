#pragma once
// The commands: one file app/command_<name>.cpp each, listed by hand in commands.cpp.
#include <vector>

#include "app/arguments.h"
#include "app/options.h"

namespace envdoctor {

struct Command {
  const char* name;
  const char* help;                          // one line; no full stop
  void (*declare)(Arguments&, Options&);      // the arguments and options that only it takes; null: none
  int (*run)(const Options&);                // answers the exit status of the contract; throws UsageError, BadDocument
};

extern const Command check_command, show_command, capture_command, diagnose_command, verify_command, bench_command, compare_command,
    run_program_command, pid_command, script_command, visible_command, fleet_command, expect_command, explain_command,
    list_command, completion_command;

const std::vector<Command>& all_commands();  // as --help lists them; the first is the default

// Runs the command that the options name.
int run_command(const Options& options);

}  // namespace envdoctor
