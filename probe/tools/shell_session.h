#pragma once
// Parses a pasted terminal session: the commands, where they ran, and their output.
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

struct ShellLine {
  std::size_t row = 0;  // in the text
  std::string_view text{};
};

struct ShellCommand {
  ShellLine typed{};          // without its prompt
  std::string_view prompt{};  // "(tf) kim@box:~$ "; empty: the line had none and begins like a well-known command
  std::vector<ShellLine> output{};
  std::string engine{};  // docker, podman, kubernetes, singularity, lxc: it ran inside such a container; empty: outside
  std::string option{};  // "given" or "none": whether a GPU was asked for where that container started; empty: unknown
};

// The commands in order. Text before the first one belongs to an empty command. Lines and commands point into
// `text`.
std::vector<ShellCommand> shell_session(std::string_view text);

}  // namespace envdoctor
