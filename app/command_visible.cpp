#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/commands.h"
#include "app/files.h"
#include "app/gather.h"
#include "reports/visible.h"

namespace envdoctor {
namespace {

void declare(CLI::App& app, Options& options) {
  app.add_option("snapshot", options.arguments, "a snapshot or JSON report instead of this host; - is standard input")
      ->expected(0, 1)
      ->option_text("[SNAPSHOT]");
}

int visible(const Options& options) {
  if (!options.format.empty() && options.format != "text" && options.format != "json")
    throw UsageError("visible writes text or json");
  const Snapshot snapshot =
      options.arguments.empty() ? gather_here(options) : read_snapshot(options.arguments.front(), options.redact);
  const auto lists = visible_to_programs(snapshot);
  const bool json = options.format == "json";
  const std::string out = json ? visible_json(lists) : visible_text(lists);
  for (const Output& output : options.outputs)
    write_file(output.path, output.format == "json" || output.path.ends_with(".json") ? visible_json(lists) : out);
  if (options.outputs.empty()) write_out(out);
  return std::ranges::any_of(lists, [](const VisibleList& list) { return !list.unknown.empty(); }) ? 3 : 0;
}

}  // namespace

const Command visible_command = {"visible", "the devices that a program would see, and why", declare, visible};

}  // namespace envdoctor
