#include "app/serve/pasted_text.h"

#include "app/output/reporting.h"
#include "evidence/json.h"
#include "probe/paste/log_reader.h"
#include "probe/paste/log_text.h"
#include "probe/redaction/redact.h"

namespace envdoctor {
namespace {

constexpr const char* source = "pasted";

Snapshot pasted_log(const std::string& text, bool redacted) {
  LogReader reader(source, redacted);
  LogText log([&](std::string_view piece) { reader.feed(piece); });
  try {
    log.feed(text);
    log.finish();
  } catch (const NoLog& error) {
    throw UsageError(std::string("the text: ") + error.what());
  }
  return reader.finish();
}

Snapshot pasted(const std::string& text, bool redacted) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) throw UsageError("the text is empty");
  if (text[first] == '{') {
    try {
      Snapshot snapshot = snapshot_from_json(text, source);
      if (redacted) redact(snapshot, {});
      return snapshot;
    } catch (const BadDocument&) {  // not marked as a snapshot, so this JSON may be a log
      if (text.find("\"envdoctor.snapshot/") != text.npos || text.find("\"envdoctor.report/") != text.npos) throw;
    }
  }
  return pasted_log(text, redacted);
}

}  // namespace

Report diagnose_text(const std::string& text, const Options& options) {
  try {
    return judge(pasted(text, options.redact), judge_options(options, true));
  } catch (const BadDocument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace envdoctor
