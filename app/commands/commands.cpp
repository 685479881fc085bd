#include "app/commands/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/output/output_files.h"
#include "host/process/bounded_run.h"
#include "knowledge/knowledge.h"

namespace envdoctor {

#define ENVDOCTOR_COMMANDS(each)                                                                                    \
  each(check_command) each(show_command) each(capture_command) each(diagnose_command) each(verify_command)          \
      each(bench_command) each(agree_command) each(compare_command) each(run_program_command) each(pid_command)     \
          each(script_command) each(visible_command) each(fleet_command) each(expect_command) each(explain_command) \
              each(list_command) each(mcp_command) each(self_test_command) each(completion_command)

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

namespace {

// The input may be the output of a program that runs for hours.
bool waits_for_standard_input(const Options& options) {
  const auto named = [](const std::vector<std::string>& files) { return std::ranges::find(files, "-") != files.end(); };
  return !options.timeout_given && (named(options.arguments) || named(options.logs));
}

}  // namespace

int run_command(const Options& options) {
  const auto named = [&](const Command& command) { return command.name == std::string_view(options.command); };
  const Command& command = *std::ranges::find_if(all_commands(), named);
  const auto work = [&] {
    if (!options.knowledge.empty()) knowledge::use_folder(options.knowledge);
    Options whole = options;
    read_named_files(whole);
    return command.run(whole);
  };
  if (!command.bounded || options.serve || waits_for_standard_input(options)) return work();
  constexpr std::chrono::seconds room(4);  // to end running children and to write the output
  return run_bounded(time_left(options) + room, work, [&] {
    print_message(
        fmt::format("envdoctor: {} has not ended within {} s: a file system or a reader may hang, or there is much to "
                    "do; if so, allow more by --timeout\n",
                    options.command, options.timeout_s));
    return 3;
  });
}

}  // namespace envdoctor
