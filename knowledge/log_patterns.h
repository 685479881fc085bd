#pragma once
// Patterns of log lines, from knowledge/log_patterns.json: one RE2 Set, one pass.
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

// Every pattern that this line (one line, without its end, Latin-1, cut at 16 KiB by the caller) matches, in table order.
std::vector<LogMatch> match_log_line(std::string_view line);

}  // namespace envdoctor::knowledge
