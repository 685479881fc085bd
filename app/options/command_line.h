#pragma once
#include <CLI/CLI.hpp>

#include "app/options/options.h"

namespace envdoctor {

// The whole command line, declared but not parsed.
struct CommandLine {
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  Options options{};
  std::vector<std::string> outputs{}, expectations{};  // as typed
  CLI::App app;
};

}  // namespace envdoctor
