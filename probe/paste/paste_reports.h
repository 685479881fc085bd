#pragma once
// Whole reports inside a log (collect_env, nvidia-smi, clinfo, …): where one starts, and who reads it.
#include <string>
#include <string_view>
#include <vector>

#include "evidence/snapshot.h"
#include "knowledge/wordings/wordings.h"

namespace envdoctor {

// A parser of one kind of report. It gets the lines from the one that gave the report away, plus the three before it.
struct LogReportKind {
  const char* name;
  bool (*starts)(std::string_view line);       // asked of lines with the words that knowledge has of it, if any
  Snapshot (*parse)(const std::string& text);  // never throws; an empty snapshot if it isn't one after all
  std::size_t most = std::size_t{1} << 20;     // characters that it gets
};
const std::vector<LogReportKind>& log_report_kinds();

// Collects the text of each kind that starts in a log, up to a limit, and parses it at the end.
class LogReports {
 public:
  LogReports();
  // `number` is the line's in the log; `matcher` has matched the same line.
  void line(std::string_view line, std::int64_t number, const knowledge::LogMatcher& matcher);
  // The sections of all reports found; the first report of a kind wins. Their `sources` say `source` and the line that
  // gave the report away; a symptom may name a line of its own.
  Snapshot finish(const std::string& source);

 private:
  struct Waiting {
    const LogReportKind* kind = nullptr;
    knowledge::ReportSet words{};  // none: any line may start it
  };
  void offer(std::string_view line, std::int64_t number, const knowledge::ReportSet& seen, std::vector<Waiting>& waiting);

  struct Block {
    const LogReportKind* kind = nullptr;
    std::int64_t line = 0;
    std::string start{};  // the line that gave it away
    std::int64_t before = 0;  // lines of the text that stand before it
    std::string text{};
  };
  std::vector<Block> blocks_{};
  // Kinds that have not started: those that start with words, and those that any line may start.
  std::vector<Waiting> by_words_{};
  std::vector<Waiting> by_form_{};
  knowledge::ReportSet awaited_{};
  std::string before_[3]{};
  std::size_t next_before_ = 0;
};

}  // namespace envdoctor
