#include <algorithm>

#include "app/commands.h"
#include "app/files.h"
#include "app/gather.h"
#include "app/reporting.h"
#include "reports/visible.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.option("snapshot", options.arguments, "a snapshot or JSON report instead of this host; - is standard input")
      .values(0, 1)
      .shown("[SNAPSHOT]");
}

int visible(const Options& options) {
  check_told(options, true);
  const Snapshot snapshot =
      options.arguments.empty() ? gather_here(options) : read_snapshot(options.arguments.front(), options.redact);
  const auto lists = visible_to_programs(snapshot);
  write_told(options, visible_text(lists), visible_json(lists));
  return std::ranges::any_of(lists, [](const VisibleList& list) { return !list.unknown.empty(); }) ? 3 : 0;
}

}  // namespace

const Command visible_command = {"visible", "the devices that a program would see, and why", declare, visible};

}  // namespace envdoctor
