#include <fmt/format.h>

#include "app/commands.h"
#include "app/files.h"
#include "app/gather.h"
#include "app/reporting.h"
#include "reports/lines.h"

namespace envdoctor {
namespace {

void declare(Arguments& arguments, Options& options) {
  arguments.flag("--learn", options.learn, "write what this host is, as a file for --expect");
  arguments.option("snapshot", options.arguments, "learn from this snapshot or JSON report; - is standard input")
      .values(0, 1)
      .shown("[SNAPSHOT]");
}

std::string keys_text() {
  std::string out = "What --expect takes, as KEY=VALUE or in a TOML file\n";
  for (const ExpectKey& key : expect_keys())
    out += wrap(fmt::format("  {:<16} ", key.key == std::string_view("*.min") ? "KERNEL.min" : key.key), key.takes);
  return out;
}

int expect(const Options& options) {
  check_told(options, false);
  if (!options.learn) {
    if (!options.arguments.empty()) throw UsageError("expect SNAPSHOT: --learn is missing, to learn from it");
    write_told(options, keys_text());
    return 0;
  }
  const bool from_file = !options.arguments.empty();
  const Snapshot snapshot = from_file ? read_snapshot(options.arguments.front(), options.redact) : gather_here(options);
  write_told(options, learn_expectations(judge(snapshot, judge_options(options, from_file))));
  return 0;
}

}  // namespace

const Command expect_command = {"expect", "what --expect takes; --learn writes a file", declare, expect};

}  // namespace envdoctor
