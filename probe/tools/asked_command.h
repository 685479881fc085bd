#pragma once
// The commands of a pasted session that ran on the host itself, each with what it printed.
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

struct AskedCommand {
  std::string_view typed{};                 // without its prompt and without sudo
  std::string_view whole{};                 // without its prompt
  std::string_view prompt{};
  std::size_t row = 0;                      // in the text
  std::vector<std::string_view> answers{};  // trimmed, without empty lines
  bool silent = false;                      // it printed nothing, and a later command did: the text was not cut there
  bool sudo = false;
};

// In order. They point into `text`.
std::vector<AskedCommand> asked_commands(std::string_view text);

}  // namespace envdoctor
