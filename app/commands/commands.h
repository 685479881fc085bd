#pragma once
// The commands: one file app/commands/command_<name>.cpp each, listed by hand in commands.cpp.
#include "app/options/arguments.h"
#include "app/options/options.h"

namespace envdoctor {

struct Command {
  const char* name;
  const char* help;                       // one line; no full stop
  void (*declare)(Arguments&, Options&);  // the arguments and options that only it takes; null: none
  int (*run)(const Options&);             // returns the exit status; throws UsageError, BadDocument
  bool bounded = false;  // limited by --timeout as a whole; false for commands that watch a program or serve
};

const std::vector<Command>& all_commands();  // as --help lists them; the first is the default

// Runs the command that the options name, in a separate process where it is bounded.
int run_command(const Options& options);

}  // namespace envdoctor
