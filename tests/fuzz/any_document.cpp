// Any text as a snapshot or a report: what can be read is judged, rendered and written so that it is read again.
#include "checks/engine/report.h"
#include "evidence/json.h"
#include "reports/reports.h"
#include "tests/support/fuzz.h"

using namespace envdoctor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz_input(data, size);
  Snapshot snapshot;
  try {
    snapshot = snapshot_from_json(text, "fuzz");
  } catch (const BadDocument&) {
    return 0;
  }
  const Report report = judge(snapshot, {.from_files = true});
  const std::string once = render_json(report, {});
  for (const Format& format : all_formats()) (void)format.render(report, {.color = true, .verbose = true});
  (void)render_show(snapshot, "");
  const Report again = judge(snapshot_from_json(once, "report"), {.from_files = true});
  if (render_json(again, {}) != once) broken_promise("a report's own snapshot is judged otherwise", text);
  return 0;
}

std::vector<std::string> fuzz_seeds() { return seed_files("any_document"); }
