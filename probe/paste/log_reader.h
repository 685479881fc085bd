#pragma once
// Reads what programs printed: recognised lines become events, whole reports become the sections they speak of.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/snapshot.h"
#include "knowledge/wordings/resemblance.h"
#include "knowledge/wordings/wordings.h"
#include "probe/paste/notable_lines.h"
#include "probe/paste/paste_reports.h"
#include "probe/transcript/transcript.h"

namespace envdoctor {

// Takes a log of any size piece by piece, in memory that doesn't grow with it.
class LogReader {
 public:
  // `source` is the name that the events carry. Unless told otherwise, home directories and long UUIDs are cut.
  explicit LogReader(std::string source, bool redact = true);
  // The next bytes, cut anywhere. Lines are counted as editors do, but what a carriage return ends, such as each state
  // of a progress bar, is read like a line of its own.
  void feed(std::string_view chunk);
  // What was read. Of events with equal fields the first three are kept; the first carries how often it was met
  // ("count"), if more than once; counting ends at 500. The log of a file in which nothing was recognised is present
  // and empty.
  Snapshot finish();

 private:
  std::size_t take_empty_lines(std::string_view chunk);  // how many it starts with
  void take_part(std::string_view part, bool ends_line);
  void take_line(std::string_view piece);
  void take_wrapped(std::string_view line, std::vector<knowledge::LogMatch>& matches);
  void take_paraphrase(std::string_view line, std::vector<knowledge::LogMatch>& matches);
  void add_resemblance(ReadText& text) const;

  std::string source_{};
  bool redact_ = true;
  std::string partial_{};  // a line whose end has not come yet, at most as long as a line may be
  std::string plain_{};    // scratch
  std::int64_t line_ = 1;
  bool took_part_ = false;  // of this line, up to a carriage return
  std::vector<Symptom> events_{};
  struct Seen {
    std::int64_t count = 0;
    std::size_t first = 0;
  };
  std::map<std::uint64_t, Seen> seen_{};
  std::map<std::string, std::int64_t> kinds_{};
  LogReports reports_{};
  NotableLines notable_{};
  knowledge::ResemblingWords words_{};
  Transcript transcript_{};
  knowledge::ReportSet transcript_words_{};
  knowledge::LogMatcher matcher_{};
  knowledge::LogMatcher said_matcher_{};  // of what answers say in other words
  std::string wrapped_{};             // the line before, if what follows may be the rest of it
  int wraps_ = 0;                     // how often it was
  int stated_again_ = 0;              // versions that an earlier line stated
  std::size_t failure_words_ = 0;     // the row of report words that mark lines of failure
  std::int64_t failures_ = 0;         // lines that hold such words
  Snapshot filled_{};  // the fields that single lines told; the first line that tells one counts
};

Snapshot read_log(std::string_view text, const std::string& source_name);

// A line as the program wrote it: without colours, CI time stamps, rank and pod marks and quote marks before it.
// The answer points into `line` or into `scratch`.
std::string_view plain_log_line(std::string_view line, std::string& scratch);

}  // namespace envdoctor
