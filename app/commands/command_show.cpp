#include <fmt/ranges.h>

#include <algorithm>

#include "app/commands/commands.h"
#include "app/commands/gather.h"
#include "app/output/reporting.h"
#include "reports/reports.h"

namespace envdoctor::show_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("section", options.arguments, fmt::format("one of: {}", fmt::join(show_sections(), ", ")),
                   {.one = true});
}

int show(const Options& options) {
  const std::string section = options.arguments.empty() ? "" : options.arguments.front();
  const auto sections = show_sections();
  if (!section.empty() && std::ranges::find(sections, section) == sections.end())
    throw UsageError(fmt::format("no section '{}'. Sections: {}", section, fmt::join(sections, ", ")));
  check_result_format(options, false);
  return write_result(options, render_show(gather_here(options), section));
}

}  // namespace

const Command command = {"show", "describe this host without diagnosing it", declare, show, true};

}  // namespace envdoctor::show_command
