#include <fmt/format.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "app/commands/commands.h"
#include "app/output/output_files.h"
#include "evidence/lines.h"

int main(int argc, char** argv) {
  envdoctor::fill_closed_streams();
  const auto inherited = std::signal(SIGXFSZ, SIG_IGN);  // writing past a file size limit is reported as an error
  try {
    // The caller's environment chooses the libraries, interpreters and programs that this process runs.
    if (getuid() != geteuid() || getgid() != getegid())
      throw envdoctor::UsageError(
          "it is set-uid or set-gid and would run others' code with its owner's rights; take the bit away "
          "(chmod ug-s), and start it as the user that is meant");
    std::string printed;
    const auto options = envdoctor::parse_options(argc, argv, printed);
    if (!printed.empty()) {
      envdoctor::write_out(printed);
      return 0;
    }
    if (options.command == "run") std::signal(SIGXFSZ, inherited);  // CMD inherits the caller's setting
    const int status = envdoctor::run_command(options);
    std::fflush(nullptr);
    std::_Exit(status);  // skips freeing tables and patterns, which takes time
  } catch (const std::exception& error) {
    envdoctor::print_message(
        fmt::format("envdoctor: {}\n", envdoctor::clean_lines(error.what())));  // may quote a hostile file
    return 2;
  }
}
