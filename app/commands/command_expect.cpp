#include <fmt/format.h>

#include "app/commands/commands.h"
#include "app/commands/gather.h"
#include "app/options/input_files.h"
#include "app/output/reporting.h"
#include "evidence/lines.h"

namespace envdoctor::expect_command {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.flag("--learn", options.learn, "write this host's properties as a file for --expect");
  arguments.option("snapshot", options.arguments, "learn from this snapshot or JSON report; - is standard input",
                   {.shown = "[SNAPSHOT]", .one = true});
}

std::string keys_text() {
  std::string out = "Keys of --expect, as KEY=VALUE or in a TOML file\n";
  for (const ExpectKey& key : expect_keys())
    out += wrap(fmt::format("  {:<16} ", key.key == std::string_view("*.min") ? "KERNEL.min" : key.key), key.takes);
  return out;
}

int expect(const Options& options) {
  check_result_format(options, false);
  const bool from_file = !options.arguments.empty();
  if (!options.learn && from_file) throw UsageError("expect takes a snapshot only with --learn");
  if (!options.learn) return write_result(options, keys_text());
  const Snapshot snapshot = from_file ? read_snapshot(options.arguments.front(), options.redact) : gather_here(options);
  return write_result(options, learn_expectations(judge(snapshot, judge_options(options, from_file))));
}

}  // namespace

const Command command = {"expect", "list the keys of --expect, or learn their values", declare, expect, true};

}  // namespace envdoctor::expect_command
