#pragma once
// Patterns of log lines, from knowledge/log_patterns.json: one pass for the fixed words of all of them, then RE2 on the
// lines that hold the words.
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
std::vector<LogPattern> log_patterns();

// Every pattern that this line (one line, without its end, Latin-1, cut at 16 KiB by the caller) matches, in table
// order.
std::vector<LogMatch> match_log_line(std::string_view line);

// The same for many lines of one log: a row that has matched 500 lines has said what it has to say and is passed over,
// so that a log of nothing but known lines is read as fast as any other.
class LogMatcher {
 public:
  std::vector<LogMatch> match(std::string_view line);

 private:
  std::vector<std::uint32_t> matched_{};  // by row
};

}  // namespace envdoctor::knowledge
