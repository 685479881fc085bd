#pragma once
// Whole reports inside a log (collect_env, nvidia-smi, clinfo, …): where one starts, and which parser reads it.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/snapshot.h"
#include "knowledge/wordings/wordings.h"

namespace envdoctor {

// A parser of one kind of report. It gets the lines from the one that started the report, plus the three before it.
struct LogReportKind {
  const char* name;
  bool (*starts)(std::string_view line);       // called for lines with the words that knowledge lists for it, if any
  Snapshot (*parse)(const std::string& text);  // never throws; an empty snapshot if it is no such report
  std::size_t most = std::size_t{1} << 20;     // characters that it gets at most
  std::size_t lines_before = 3;                // that it gets, too: words above an array
};
const std::vector<LogReportKind>& log_report_kinds();

// Collects the text of each kind that starts in a log, up to a limit, and parses it at the end.
class LogReports {
 public:
  LogReports();
  // `number` is the line's in the log; `matcher` has matched the same line.
  void line(std::string_view line, std::int64_t number, const knowledge::LogMatcher& matcher);
  // The sections of all reports found; the first report of a kind wins. Their `sources` hold `source` and the line that
  // started the report; a symptom may name another line.
  Snapshot finish(const std::string& source);

 private:
  struct Waiting {
    const LogReportKind* kind = nullptr;
    knowledge::ReportSet words{};  // none: any line may start it
  };
  struct Block;
  static void append(Block& block, std::string_view line, std::int64_t number);
  static std::int64_t line_of(const Block& block, std::int64_t row);
  void offer(std::string_view line, std::int64_t number, const knowledge::ReportSet& seen,
             std::vector<Waiting>& waiting);

  static constexpr std::size_t most_lines_before = 16;
  struct Block {
    const LogReportKind* kind = nullptr;
    std::int64_t line = 0;
    std::string start{};  // the line that started it
    std::string text{};
    // Rows of the text, from 0, whose line in the log doesn't follow that of the previous row: each with its line.
    std::vector<std::pair<std::int64_t, std::int64_t>> jumps{};
    std::int64_t rows = 0;
    std::int64_t next_line = 0;  // the line of the next row, if it follows directly
  };
  std::vector<Block> blocks_{};
  // Kinds that have not started: those that start at certain words, and those that any line may start.
  std::vector<Waiting> by_words_{};
  std::vector<Waiting> by_form_{};
  knowledge::ReportSet awaited_{};
  std::pair<std::string, std::int64_t> before_[most_lines_before]{};  // with their line numbers
  std::size_t next_before_ = 0;
};

}  // namespace envdoctor
