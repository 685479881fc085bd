#pragma once
// Patterns of log lines, from knowledge/log_patterns.json: one pass for the fixed words of all of them, then RE2 on the
// lines that hold the words.
#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct LogMatch {
  std::string event{};
  std::string framework{};
  std::map<std::string, std::string> fields{};
  std::size_t row = 0;  // in log_patterns()
};

// A row of the table.
struct LogPattern {
  std::string id{};
  std::string event{};
  std::string framework{};
  std::string pattern{};
  std::string capture{};
  std::map<std::string, std::string> set{};
  std::string example{};                        // a line that must match
  std::map<std::string, std::string> fields{};  // what must come of it
};
// All of them, examples included, which nothing else reads.
std::vector<LogPattern> log_patterns();

// Kinds of whole reports by name, and the words of which a line holds one that starts such a report.
const std::map<std::string, std::vector<std::string>>& report_words();
using ReportSet = std::bitset<64>;  // of its rows, in the map's order

// Every pattern that this line (one line, without its end, Latin-1, cut at 16 KiB by the caller) matches, in table
// order. Fields are looked for within 2 KiB of the words that gave the pattern away.
std::vector<LogMatch> match_log_line(std::string_view line);

// The same for many lines of one log: a row that has matched 500 lines has said what it has to say and is passed over,
// unless it reads codes, so that a log of nothing but known lines is read as fast as any other.
class LogMatcher {
 public:
  std::vector<LogMatch> match(std::string_view line);
  // Of the line matched last: the kinds of reports of which it holds a word.
  [[nodiscard]] const ReportSet& reports() const { return reports_; }

 private:
  struct Row {
    std::uint32_t matched = 0;
    std::uint64_t last = 0;  // the line it matched last
  };
  std::vector<Row> rows_{};
  std::vector<std::pair<std::uint32_t, std::size_t>> hits_{};  // of the line at hand: row, and where
  ReportSet reports_{};
  std::uint64_t line_ = 0;
};

}  // namespace envdoctor::knowledge
