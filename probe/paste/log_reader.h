#pragma once
// Reads programs' output: recognised lines become symptoms, whole reports fill the sections that they describe.
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
#include "probe/transcript/error_fields.h"
#include "probe/transcript/transcript.h"

namespace envdoctor {

// Reads a log of any size piece by piece, with constant memory.
class LogReader {
 public:
  // `source` is the log's name in symptoms. By default home directories and long UUIDs are shortened.
  explicit LogReader(std::string source, bool redact = true);
  // The next bytes, cut anywhere. Lines are counted as editors do, but text that a carriage return ends, such as each
  // state of a progress bar, is read as a separate line.
  void feed(std::string_view chunk);
  // The result. Of symptoms with equal fields the first three are kept; the first has the number of occurrences
  // ("count"), if more than once; counting ends at 500. The log of a file in which nothing was recognised is present
  // and empty.
  Snapshot finish();

 private:
  std::size_t take_empty_lines(std::string_view chunk);  // the number it starts with
  void take_part(std::string_view part, bool ends_line);
  void take_line(std::string_view piece);
  void take_wrapped(std::string_view line, std::vector<knowledge::LogMatch>& matches);
  void take_paraphrase(std::string_view line, std::vector<knowledge::LogMatch>& matches);
  void add_said(const std::string& said, std::vector<knowledge::LogMatch>& matches);
  void add_resemblance(ReadText& text) const;
  std::string bare_text() const;

  std::string source_{};
  bool redact_ = true;
  bool is_bare_ = false;   // what is fed is another reader's bare text
  std::string whole_{};    // what was fed, up to a limit beyond which earlier runs of a command are not looked for
  std::string partial_{};  // an incomplete line, up to the maximum length
  std::string plain_{};    // scratch
  std::int64_t line_ = 1;
  bool took_part_ = false;  // part of this line was read, up to a carriage return
  std::size_t empty_lines_ = 0;  // in a row, however the text is fed
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
  ErrorFields error_fields_{};
  knowledge::ReportSet transcript_words_{};
  knowledge::LogMatcher matcher_{};
  knowledge::LogMatcher said_matcher_{};  // for answers that are rephrased as known wordings
  std::string wrapped_{};                 // the previous line, if the next may be the rest of it
  int wraps_ = 0;                         // the number of such continuations
  int stated_again_ = 0;                  // versions that an earlier line stated differently
  std::size_t failure_words_ = 0;         // index of the report words that mark lines about a failure
  std::int64_t failures_ = 0;             // lines with such words
  Snapshot filled_{};                     // the fields that single lines gave; the first line that gives one counts
};

Snapshot read_log(std::string_view text, const std::string& source_name);

// A line as the program wrote it: without colours, CI time stamps, rank and pod marks and quote marks before it.
// The answer points into `line` or into `scratch`.
std::string_view plain_log_line(std::string_view line, std::string& scratch);

}  // namespace envdoctor
