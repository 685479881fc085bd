#pragma once
#include <CLI/CLI.hpp>
#include <span>

#include "app/options/options.h"

namespace envdoctor {

// The whole command line, declared but not parsed. Where the words that were typed name commands, the others have no
// options: declaring all takes longer than parsing.
struct CommandLine {
  explicit CommandLine(std::span<const char* const> typed = {});
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Options options{};
  std::vector<std::string> outputs{}, expectations{};  // as typed
  CLI::App app;
};

}  // namespace envdoctor
