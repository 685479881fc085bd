#pragma once
// Patterns of log lines, from knowledge/wordings/wordings.json: one pass for the fixed words of all of them, then RE2
// on the lines that contain the words.
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct LogMatch {
  std::string class_{};  // the symptom's class and subject
  std::string subject{};
  std::string code{};     // the vendor's name or number of the error, if the line has one
  std::string program{};  // the program that printed it, if known
  std::map<std::string, std::string> details{};
  std::map<std::string, std::string> fills{};  // JSON pointer of the snapshot's field that the line fills -> its value
  std::size_t row = 0;                         // index in wordings()
};

// A row of the table.
struct LogPattern {
  std::string id{};
  std::string class_{};
  std::string subject{};
  std::string code{};
  std::string program{};
  std::string pattern{};
  std::string capture{};
  std::string code_of{};      // the apis in which a captured code is looked up; it must exist there
  std::string code_prefix{};  // the part of the name that the captured code lacks
  std::map<std::string, std::string> set{};
  std::map<std::string, std::string> fills{};   // with {detail} for captured values
  std::string example{};                        // a line that must match
  std::map<std::string, std::string> fields{};  // the details that it must give
};
// All rows, including their examples, which nothing else reads.
std::vector<LogPattern> wordings();

// Kinds of whole reports by name, and the words, one of which is in the line that starts such a report.
const std::map<std::string, std::vector<std::string>>& report_words();
using ReportSet = std::bitset<128>;  // of its rows, in the map's order

// Every pattern that this line (one line, without its end, Latin-1, truncated to 16 KiB by the caller) matches, in
// table order. Fields are looked for within 2 KiB of the words that selected the pattern.
std::vector<LogMatch> match_log_line(std::string_view line);

class PairsOfLine;

// The same for many lines of one log: a row that has matched 500 lines is skipped from then on,
// unless it reads codes, so that a log of only known lines is read as fast as any other.
class LogMatcher {
 public:
  LogMatcher();
  ~LogMatcher();
  std::vector<LogMatch> match(std::string_view line);
  // For the last matched line: the kinds of reports of which it contains a word.
  [[nodiscard]] const ReportSet& reports() const { return found_->reports; }

 private:
  struct Row {
    std::uint32_t matched = 0;
    std::uint64_t last = 0;  // the last line that it matched
  };
  // What a pattern needs, found in a line: the row may match there.
  struct Place {
    std::uint32_t word = 0;  // of the index
    std::uint32_t at = 0;
  };
  // What all lines of one shape have in common.
  struct OfShape {
    std::string shape{};
    std::vector<Place> places{};
    ReportSet reports{};
  };
  void search(OfShape& found);
  [[nodiscard]] bool may_match(std::uint32_t word, std::size_t at, std::string_view shape);

  std::vector<Row> rows_{};
  std::vector<std::pair<std::uint32_t, std::size_t>> hits_{};  // for the current line: row and place
  std::string small_{};                                        // the current shape in lower case, if a word needs it
  std::uint64_t line_ = 0;
  std::unique_ptr<PairsOfLine> pairs_;  // of the current shape, computed on demand
  bool took_pairs_ = false;
  std::vector<OfShape> known_;     // each shape has one place in it
  OfShape other_{};                // of a line that is too long to be kept
  const OfShape* found_ = &other_;  // for the current line
  std::string shape_{};
};

}  // namespace envdoctor::knowledge
