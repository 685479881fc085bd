#pragma once
// The command line as words: the source of the manual page and of the shell completions.
#include <string>
#include <vector>

namespace envdoctor {

struct OptionWords {
  std::vector<std::string> names{};  // "-o", "--output"
  std::string takes{};               // "FILE", "text|json"; empty: a flag
  std::string help{};
  std::vector<std::string> values{};  // the allowed values, where they are few
};

struct CommandWords {
  std::string name{};  // empty: the program itself
  std::string help{};
  std::string footer{};
  std::vector<OptionWords> options{};
  std::vector<OptionWords> arguments{};  // one name each, as in --help
};

// The program first, then its commands in their order.
std::vector<CommandWords> command_words();

// Completions for bash, zsh or fish.
std::string completion(const std::vector<CommandWords>& commands, const std::string& shell);
// The manual page, as man reads it.
std::string manual(const std::vector<CommandWords>& commands);

}  // namespace envdoctor
