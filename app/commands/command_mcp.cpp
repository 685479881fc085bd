#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "app/commands/commands.h"
#include "app/serve/mcp.h"
#include "host/files/descriptor.h"

namespace envdoctor::mcp_command {
namespace {

void declare(Arguments& arguments, Options&) { arguments.footer("Exit status: 0 when standard input has ended."); }

// Whether the client still reads.
bool say(const std::string& answer) { return answer.empty() || write_all(STDOUT_FILENO, answer + "\n"); }

// Answers one message per line, in order, until the client closes its end.
int serve(const Options& options) {
  std::signal(SIGPIPE, SIG_IGN);
  std::string line, bytes(1 << 16, '\0');
  bool too_long = false;  // the rest of this line is skipped
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (std::string_view rest(bytes.data(), static_cast<std::size_t>(got)); !rest.empty();) {
      const auto end = rest.find('\n');
      if (!too_long) line += rest.substr(0, end);
      if (line.size() > most_mcp_bytes) {
        too_long = true;
        line = {};
      }
      if (end == rest.npos) break;
      rest.remove_prefix(end + 1);
      const bool blank = line.find_first_not_of(" \t\r") == line.npos;
      if (!say(too_long ? mcp_too_long() : blank ? std::string() : mcp_answer(line, options))) return 0;
      line.clear();
      too_long = false;
    }
  }
  if (line.find_first_not_of(" \t\r") != line.npos) (void)say(mcp_answer(line, options));
  return 0;
}

}  // namespace

const Command command = {"mcp", "serve read-only tools to a coding agent (MCP)", declare, serve};

}  // namespace envdoctor::mcp_command
