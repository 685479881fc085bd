// Any bytes as a log file: tests decompression and decoding, every pattern, every report detector, and the
// judgement of the result after redaction.
#include "checks/engine/report.h"
#include "evidence/json.h"
#include "probe/paste/log_reader.h"
#include "probe/paste/log_text.h"
#include "probe/redaction/redact.h"
#include "reports/reports.h"
#include "tests/support/fuzz.h"

using namespace envdoctor;

namespace {

// The text in a file, fed in pieces of this size; what stands against it, if it is refused.
std::string text_of(const std::string& file, std::size_t piece) {
  std::string text;
  LogText reader([&](std::string_view more) { text += more; }, 1 << 20);
  try {
    for (std::size_t at = 0; at < file.size(); at += piece) reader.feed(std::string_view(file).substr(at, piece));
    reader.finish();
  } catch (const NoLog& error) {
    return error.what();
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = fuzz_input(data, size), text = text_of(file, file.size());
  if (text_of(file, 7) != text) broken_promise("a log's file read in pieces differs from the whole", file);
  const Snapshot whole = read_log(text, "fuzz");
  LogReader pieces("fuzz");
  for (std::size_t at = 0; at < text.size(); at += 7) pieces.feed(std::string_view(text).substr(at, 7));
  if (to_json(pieces.finish()) != to_json(whole)) broken_promise("a log read in pieces differs from the whole", text);
  const Identity identity{.home = "/home/kim", .users = {"kim"}, .hosts = {"box"}};
  const std::string shown = redact_text(text, identity);
  if (redact_text(shown, identity) != shown) broken_promise("a text is redacted further when that is done again", text);
  Snapshot redacted = whole;
  redact(redacted, identity);
  const Report report = judge(redacted, {.from_files = true});
  (void)render_text(report, {});
  return 0;
}

std::vector<std::string> fuzz_seeds() { return seed_files("any_text"); }
