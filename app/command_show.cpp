#include <fmt/ranges.h>

#include <algorithm>

#include "app/commands.h"
#include "app/gather.h"
#include "app/reporting.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("section", options.arguments, fmt::format("one of: {}", fmt::join(show_sections(), ", ")))
      .values(0, 1);
}

int show(const Options& options) {
  const std::string section = options.arguments.empty() ? "" : options.arguments.front();
  if (!section.empty() && std::ranges::find(show_sections(), section) == show_sections().end())
    throw UsageError(fmt::format("show {}: no such section; there are {}", section, fmt::join(show_sections(), ", ")));
  check_told(options, false);
  write_told(options, render_show(gather_here(options), section));
  return 0;
}

}  // namespace

const Command show_command = {"show", "what this host is, without judgement", declare, show};

}  // namespace envdoctor
