#include <fmt/format.h>

#include <cstdio>

#include "app/commands/commands.h"
#include "evidence/lines.h"

int main(int argc, char** argv) {
  try {
    std::string printed;
    const auto options = envdoctor::parse_options(argc, argv, printed);
    if (!printed.empty()) return std::fputs(printed.c_str(), stdout) < 0 ? 2 : 0;
    return envdoctor::run_command(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "envdoctor: {}\n", envdoctor::clean_lines(error.what()));  // it may quote a hostile file
    return 2;
  }
}
