// Any text as a snapshot or a report: valid ones are redacted, judged, rendered, and written so that they can be read
// again. From other documents one value is read.
#include "checks/engine/report.h"
#include "evidence/json.h"
#include "evidence/watched_process.h"
#include "probe/redaction/redact.h"
#include "reports/reports.h"
#include "tests/support/fuzz.h"

using namespace envdoctor;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz_input(data, size);
  const Identity identity{.home = "/home/kim", .users = {"kim"}, .hosts = {"box"}};
  (void)json_text(text, "/argv/0");
  (void)json_values(text);
  try {
    Watched watched = watched_from_json(text, "fuzz");
    redact(watched, identity);
  } catch (const BadDocument&) {
  }
  Snapshot snapshot;
  try {
    snapshot = snapshot_from_json(text, "fuzz");
  } catch (const BadDocument&) {
    return 0;
  }
  redact(snapshot, identity);
  const Report report = judge(snapshot, {.from_files = true});
  const std::string once = render_json(report, {});
  for (const Format& format : all_formats()) (void)format.render(report, {.color = true, .verbose = true});
  (void)render_show(snapshot, "");
  const Report again = judge(snapshot_from_json(once, "report"), {.from_files = true});
  if (render_json(again, {}) != once) broken_promise("a report's own snapshot is judged otherwise", text);
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  auto seeds = seed_files("any_document");
  Watched watched;
  ProcessUse& use = watched.process.fill();
  use.env.fill() = {{"CUDA_VISIBLE_DEVICES", std::string("0")}, {"KIM_HOME", std::string("/home/kim/x")}};
  use.libraries.fill() = {{.path = std::string("/home/kim/libcuda.so.1")}};
  seeds.push_back(to_json(watched));
  return seeds;
}
