// Any text as a log: every pattern, every recogniser of reports, and the judgement of what came of them.
#include "checks/engine/report.h"
#include "evidence/json.h"
#include "probe/paste/log_reader.h"
#include "reports/reports.h"
#include "tests/support/fuzz.h"

using namespace envdoctor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz_input(data, size);
  const Snapshot whole = read_log(text, "fuzz");
  LogReader pieces("fuzz");
  for (std::size_t at = 0; at < text.size(); at += 7) pieces.feed(std::string_view(text).substr(at, 7));
  if (to_json(pieces.finish()) != to_json(whole)) broken_promise("a log read in pieces differs from the whole", text);
  const Report report = judge(whole, {.from_files = true});
  (void)render_text(report, {});
  return 0;
}

std::vector<std::string> fuzz_seeds() { return seed_files("any_text"); }
