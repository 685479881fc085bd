#include <algorithm>

#include "app/commands/commands.h"
#include "app/commands/gather.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "reports/reports.h"

namespace envdoctor::visible_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("snapshot", options.arguments, "a snapshot or JSON report instead of this host; - is standard input",
                   {.shown = "[SNAPSHOT]", .one = true});
  arguments.footer(
      "Exit status: 0 every list is known, 2 the command line or an input file is\ninvalid, 3 a list is unknown.");
}

int visible(const Options& options) {
  check_result_format(options, true);
  const Snapshot snapshot =
      options.arguments.empty() ? gather_here(options) : read_snapshot(options.arguments.front(), options.redact);
  const auto lists = visible_to_programs(snapshot);
  write_result(options, visible_text(lists), visible_json(lists));
  return std::ranges::any_of(lists, [](const VisibleList& list) { return !list.unknown.empty(); }) ? 3 : 0;
}

}  // namespace

const Command command = {"visible", "list the devices that a program sees, and why", declare, visible, true};

}  // namespace envdoctor::visible_command
