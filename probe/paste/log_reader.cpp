#include "probe/paste/log_reader.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <utility>

#include "evidence/json.h"
#include "evidence/lines.h"
#include "evidence/merge.h"
#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "knowledge/wordings/slots.h"
#include "knowledge/wordings/wordings.h"
#include "probe/redaction/redact.h"
#include "probe/text_piece.h"
#include "probe/tools/earlier_state.h"
#include "probe/transcript/framed_text.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_line = std::size_t{16} * 1024;
constexpr std::size_t longest_session = std::size_t{256} * 1024;
constexpr std::size_t longest_shown = 240;
constexpr std::int64_t kept_of_equal = 3;
constexpr std::int64_t kept_of_kind = 64;

std::uint64_t fingerprint(const knowledge::LogMatch& match) {
  std::string key = match.class_ + ' ' + match.subject + ' ' + match.program + ' ' + match.code;
  for (const auto& [name, value] : match.details) key.append(1, '\0').append(name).append(1, '\0').append(value);
  return std::hash<std::string>{}(key);
}

// Truncates between words, since a detector of secrets does not recognise half a token.
std::string beginning(std::string_view line) {
  if (line.size() <= longest_shown) return std::string(line);
  const std::size_t blank = line.rfind(' ', longest_shown);
  return std::string(line.substr(0, blank == std::string_view::npos ? 0 : blank)) + " ...";
}

// "If you are running out of memory, consider …": what could happen, and nothing before it says that it did.
bool only_may_exhaust(std::string_view line) {
  static const std::string words = R"(\b(out of (?:\w+ ){0,2}memory|oom\b))";
  static const LazyRegex exhausted("(?i)" + words, RE2::Latin1);
  static const LazyRegex condition(
      R"((?i)\b(?:if|in case|when(?:ever)?|should) (?:you|your|it|this|there|the|of)\b[^.!?]{0,60}?)" + words,
      RE2::Latin1);
  // "Could not predict. Not enough GPU memory? INTERNAL: …": a guess beside the error.
  static const LazyRegex question(R"((?i)\b(?:not enough|insufficient|out of) (?:\w+ ){0,3}(?:memory|vram)\?)",
                                  RE2::Latin1);
  const re2::StringPiece text(line.data(), line.size());
  if (RE2::PartialMatch(text, question)) return true;
  re2::StringPiece conditional, first;
  return has_any(line, {"if you", "if it", "if th", "if of", "in case ", "when ", "whenever ", "should "}) &&
         RE2::PartialMatch(text, condition, &conditional) && RE2::PartialMatch(text, exhausted, &first) &&
         conditional.data() == first.data();
}

// "If you get `…` errors, the above might be the cause": what could come, by a program that goes on.
bool is_advice_for_an_error(std::string_view line) {
  if (!contains(line, "f you ") && !contains(line, "n case you ")) return false;
  static const LazyRegex form(
      R"((?:^|[.:!] +)(?:If|[Ii]n case|if) you (?:get|see|run into|encounter|receive|hit|are getting) (?:an? |the )?[`'"])",
      RE2::Latin1);
  return RE2::PartialMatch(piece_of(line.substr(0, 2000)), form);
}

}  // namespace

LogReader::LogReader(std::string source, bool redact) : source_(std::move(source)), redact_(redact) {
  const auto& words = knowledge::report_words();
  if (const auto row = words.find("transcript"); row != words.end())
    transcript_words_.set(static_cast<std::size_t>(std::distance(words.begin(), row)));
  failure_words_ = static_cast<std::size_t>(std::distance(words.begin(), words.find("words of failure")));
}

// If no known message matches, a subject and its state may, even beside a message that the work runs on the CPU. The
// first lines about a failure say most.
void LogReader::take_paraphrase(std::string_view line, std::vector<knowledge::LogMatch>& matches) {
  constexpr int most = 400;
  const bool explained =
      std::ranges::any_of(matches, [](const knowledge::LogMatch& match) { return match.subject != "gpu-for-work"; });
  if (!matcher_.reports().test(failure_words_) || ++failures_ > most || explained) return;
  if (const auto said = knowledge::match_slots(line))
    matches.push_back({.class_ = said->class_, .subject = said->subject});
}

// Terminals and consoles that frame tracebacks wrap long lines: the rest of a message begins with a small letter.
void LogReader::take_wrapped(std::string_view line, std::vector<knowledge::LogMatch>& matches) {
  constexpr std::size_t narrowest = 60, widest = 200;
  constexpr int most = 1000;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool goes_on = !line.empty() && line[0] >= 'a' && line[0] <= 'z' && line.size() < widest;
  if (goes_on && !wrapped_.empty() && matches.empty() && ++wraps_ <= most) {
    wrapped_.append(1, ' ').append(line);
    for (knowledge::LogMatch& match : said_matcher_.match(wrapped_)) {
      if (match.class_ != "used" && match.class_ != "present") matches.push_back(std::move(match));
    }
  }
  wrapped_.clear();
  const std::string_view text = trimmed(line);
  if (matches.empty() && text.size() >= narrowest && text.size() < widest && wraps_ <= most &&
      (letter(text.back()) || text.back() == ','))
    wrapped_ = text;
}

void LogReader::feed(std::string_view chunk) {
  if (whole_.size() <= longest_session) whole_.append(chunk.substr(0, longest_session + 1 - whole_.size()));
  while (!chunk.empty()) {
    if (partial_.empty() && !took_part_ && chunk[0] == '\n') {
      chunk.remove_prefix(take_empty_lines(chunk));
      continue;
    }
    const std::size_t end = chunk.find('\n');
    take_part(chunk.substr(0, end), end != std::string_view::npos);
    if (end == std::string_view::npos) return;
    chunk.remove_prefix(end + 1);
  }
}

// Where a line ends within what one line of the file holds: at a carriage return, and at the "#012" as which rsyslog
// writes a line feed. {position, length}.
std::pair<std::size_t, std::size_t> end_within(std::string_view part) {
  constexpr std::string_view line_feed = "#012";
  const std::size_t end = part.find('\r'), written = part.substr(0, end).find(line_feed);
  return written == std::string_view::npos ? std::pair{end, std::size_t{1}} : std::pair{written, line_feed.size()};
}

void LogReader::take_part(std::string_view part, bool ends_line) {
  for (;;) {
    const auto [end, length] = end_within(part);
    const bool ends = ends_line || end != std::string_view::npos, whole = ends && partial_.empty();
    std::string_view text = part.substr(0, end);
    if (!whole) {
      partial_.append(text.substr(0, longest_line - partial_.size()));
      text = partial_;
    }
    if (!ends) return;
    if (!text.empty() || (end == std::string_view::npos && !took_part_)) {
      take_line(text);
      took_part_ = true;
    }
    partial_.clear();
    if (end == std::string_view::npos) break;
    part.remove_prefix(end + length);
  }
  ++line_;
  took_part_ = false;
}

// A report needs only a few of many in a row.
std::size_t LogReader::take_empty_lines(std::string_view chunk) {
  constexpr std::size_t needed = 4;
  const std::size_t lines = std::min(chunk.find_first_not_of('\n'), chunk.size());
  for (std::size_t i = 0; i < lines && empty_lines_ < needed; ++i, ++empty_lines_)
    reports_.line({}, line_ + static_cast<std::int64_t>(i), matcher_);
  line_ += static_cast<std::int64_t>(lines);
  wrapped_.clear();
  return lines;
}

// What several lines say together, as one line in known words.
void LogReader::add_said(const std::string& said, std::vector<knowledge::LogMatch>& matches) {
  if (said.empty()) return;
  for (knowledge::LogMatch& match : said_matcher_.match(said)) {
    const bool known = std::ranges::any_of(matches, [&](const knowledge::LogMatch& one) {
      return one.class_ == match.class_ && one.subject == match.subject;
    });
    if (!known) matches.push_back(std::move(match));
  }
}

void LogReader::take_line(std::string_view piece) {
  empty_lines_ = 0;
  const std::string_view line = plain_log_line(piece.substr(0, longest_line), plain_);
  std::vector<knowledge::LogMatch> matches = matcher_.match(line);
  std::erase_if(matches, [line](const knowledge::LogMatch& match) {
    return (match.class_ == "exhausted" && only_may_exhaust(line)) ||
           (match.class_ == "missing" && is_advice_for_an_error(line));
  });
  reports_.line(line, line_, matcher_);
  notable_.line(line, line_, matcher_);
  words_.line(line);
  take_wrapped(line, matches);
  take_paraphrase(line, matches);
  add_said(transcript_.line(line, line_, (matcher_.reports() & transcript_words_).any()), matches);
  add_said(error_fields_.line(line), matches);
  for (knowledge::LogMatch& match : matches) {
    for (const auto& [pointer, value] : match.fills) {
      // A different version that is stated later is kept: two programs in one text may differ in it.
      constexpr int most_stated_again = 64;
      const bool stated = filled_.sources.get() && filled_.sources.get()->contains(pointer);
      if (stated && (!pointer.ends_with("/version") || ++stated_again_ > most_stated_again)) continue;
      Snapshot field = snapshot_with(pointer, value);
      set_sources(field, source_, line_);
      fill_in(filled_, field);
    }
    Seen& seen = seen_[fingerprint(match)];
    if (++seen.count > kept_of_equal) continue;
    if (seen.count == 1) {
      if (++kinds_[match.class_ + ' ' + match.subject] > kept_of_kind) {
        seen_.erase(fingerprint(match));
        continue;
      }
      seen.first = events_.size();
    }
    Symptom& event = events_.emplace_back();
    event.class_ = match.class_;
    event.subject = match.subject;
    if (!match.code.empty()) event.code = match.code;
    if (!match.program.empty()) event.program = match.program;
    event.source = source_;
    event.line = line_;
    event.text = beginning(line);
    event.details = std::move(match.details);
  }
}

void LogReader::add_resemblance(ReadText& text) const {
  constexpr double least_share = 0.2;  // below it the guess was wrong too often on reports outside the training set
  const knowledge::Resemblance found = words_.likeliest();
  if (found.id.empty() || found.id == "healthy" || found.share < least_share) return;
  Resembles& resembles = text.resembles.fill();
  resembles.cause = found.id;
  resembles.share = std::round(found.share * 100) / 100;
  resembles.words = found.words;
}

// What was fed, without its frames and without what is history; as many lines.
std::string LogReader::bare_text() const {
  constexpr int most_frames = 4;  // one around the other
  std::string text = whole_;
  for (int frames = 0; frames < most_frames; ++frames) {
    auto bare = without_frame(text);
    if (!bare) break;
    text = std::move(*bare);
  }
  return may_ask_twice(text) ? without_earlier_state(text) : text;
}

Snapshot LogReader::finish() {
  if (!is_bare_ && whole_.size() <= longest_session) {
    if (const std::string bare = bare_text(); bare != whole_) {
      LogReader again(source_, redact_);
      again.is_bare_ = true;
      again.feed(bare);
      return again.finish();
    }
  }
  const std::int64_t lines = partial_.empty() && !took_part_ ? line_ - 1 : line_;
  if (!partial_.empty()) take_line(partial_);
  partial_.clear();
  for (const auto& [key, seen] : seen_) {
    if (seen.count > 1) events_[seen.first].details["count"] = std::to_string(seen.count);
  }
  Snapshot snapshot = reports_.finish(source_);
  fill_in(snapshot, filled_);
  fill_in(snapshot, transcript_.finish(source_));
  auto of_reports = std::exchange(snapshot.log.fill(), std::move(events_));
  // Drops symptoms of whole reports that a single line has already given.
  std::erase_if(of_reports, [&](const Symptom& one) {
    return std::ranges::any_of(*snapshot.log.get(), [&](const Symptom& known) {
      return known.line.value_or(0) == one.line.value_or(-1) && known.class_.value_or("") == one.class_.value_or("?") &&
             known.subject.value_or("") == one.subject.value_or("?");
    });
  });
  snapshot.log.get()->insert(snapshot.log.get()->end(), of_reports.begin(), of_reports.end());
  ReadText text{.source = source_, .lines = lines};
  notable_.finish(text);
  for (const Symptom& one : *snapshot.log.get()) words_.symptom(one.class_.or_empty(), one.subject.or_empty());
  add_resemblance(text);
  snapshot.texts = std::vector<ReadText>{std::move(text)};
  if (redact_) redact(snapshot, {});
  ReadText& read = snapshot.texts.get()->front();
  for (List<TextLine>* lines_of_text : {&read.notable, &read.complaints}) {
    if (!lines_of_text->get()) continue;
    for (TextLine& line : *lines_of_text->get()) line.text = shortened(*line.text.get(), longest_shown);
  }
  return snapshot;
}

Snapshot read_log(std::string_view text, const std::string& source_name) {
  LogReader reader(source_name);
  reader.feed(text);
  return reader.finish();
}

// Recovers a line as the program wrote it.

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// Rules most lines out in one fast pass, which a search for several characters is not.
bool holds(std::string_view line, char c) { return line.find(c) != std::string_view::npos; }

// ESC [ … letter, and ESC ] … BEL (titles, links), removed in a copy.
std::string_view without_colours(std::string_view line, std::string& scratch) {
  scratch.clear();
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::size_t escape = std::min(line.find('\x1b', at), line.size());
    scratch.append(line.substr(at, escape - at));
    if (escape + 1 >= line.size()) break;
    at = escape + 1;
    if (line[at] == '[') {
      do ++at;
      while (at < line.size() && !std::isalpha(static_cast<unsigned char>(line[at])));
    } else if (line[at] == ']') {
      while (at < line.size() && line[at] != '\a' && line[at] != '\\') ++at;
    }
  }
  return scratch;
}

// A message inside JSON or logfmt: {"level":"error","msg":"no \\"nvidia\\" here"}.
bool is_structured(std::string_view line) {
  return holds(line, '\\') && (line.starts_with("{\"") || contains(line, " msg=\""));
}

// The same line with its escapes as the characters that they stand for, in a copy.
std::string_view without_escapes(std::string_view line, std::string& scratch) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const bool escape = line[at] == '\\' && at + 1 < line.size();
    if (escape) ++at;
    plain += escape && (line[at] == 'n' || line[at] == 't' || line[at] == 'r') ? ' ' : line[at];
  }
  scratch = std::move(plain);
  return scratch;
}

// The ASCII character for which a typographic sign of three bytes stands: quotation marks (U+2018 to U+201D) and the
// full widths of Chinese and Japanese texts (U+FF01 to U+FF5E); NUL: none.
char plain_sign(std::string_view three) {
  if (three.size() != 3) return '\0';
  const auto second = static_cast<unsigned char>(three[1]), last = static_cast<unsigned char>(three[2]);
  if (three[0] == '\xe2' && second == 0x80 && last >= 0x98 && last <= 0x9d) return last < 0x9c ? '\'' : '"';
  if (three[0] != '\xef') return '\0';
  if (second == 0xbc && last >= 0x81 && last <= 0xbf) return static_cast<char>('!' + (last - 0x81));
  if (second == 0xbd && last >= 0x80 && last <= 0x9e) return static_cast<char>('`' + (last - 0x80));
  return '\0';
}

// The same line with plain signs in place of typographic ones, in a copy.
std::string_view with_plain_signs(std::string_view line, std::string& scratch) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char sign = plain_sign(line.substr(at, 3));
    plain += sign == '\0' ? line[at] : sign;
    if (sign != '\0') at += 2;
  }
  scratch = std::move(plain);
  return scratch;
}

// The same line with the characters for which a web page's "&gt;" and "&#39;" stand, in a copy.
std::string_view without_entities(std::string_view line, std::string& scratch) {
  static constexpr std::pair<std::string_view, char> known[] = {{"&quot;", '"'},  {"&#34;", '"'}, {"&#39;", '\''},
                                                                {"&#x27;", '\''}, {"&lt;", '<'},  {"&gt;", '>'},
                                                                {"&nbsp;", ' '},  {"&amp;", '&'}};
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::string_view rest = line.substr(at);
    const auto* entity = rest[0] == '&'
                             ? std::ranges::find_if(known, [&](const auto& one) { return rest.starts_with(one.first); })
                             : std::end(known);
    plain += entity == std::end(known) ? rest[0] : entity->second;
    if (entity != std::end(known)) at += entity->first.size() - 1;
  }
  scratch = std::move(plain);
  return scratch;
}

// The same line without the marks of bold words, "**CUDA Version: N/A**", in a copy.
std::string_view without_bold(std::string_view line, std::string& scratch) {
  static const LazyRegex bold(R"((^|[\s|(])\*\*([^\s*](?:[^*]*[^\s*])?)\*\*($|[\s|).,:;]))", RE2::Latin1);
  std::string plain(line);
  RE2::GlobalReplace(&plain, bold, R"(\1\2\3)");
  scratch = std::move(plain);
  return scratch;
}

// "2024-05-01T12:00:00.1234567Z " of CI services, kubectl and journald, and "stderr F " of the files that a kubelet
// keeps.
std::size_t length_of_time(std::string_view line) {
  static const LazyRegex form(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[\d.+:]*Z? (?:std(?:err|out) [FP](?: |$))?)",
                              RE2::Latin1);
  return match_length(form, line);
}

// "[rank0]: ", "[default0]:" of torchrun, "[pod/trainer-0/main] ", "[1,0]<stderr>:" of mpirun.
std::size_t length_of_brackets(std::string_view line) {
  static const LazyRegex form(R"(\[(?:(?:rank|default|pod/)[^\]]*\]|\d[^\]]{0,9}\]<std.*?>:):? ?)", RE2::Latin1);
  return match_length(form, line);
}

// "(RayTrainWorker pid=812, ip=10.0.0.7) ".
std::size_t length_of_process(std::string_view line) {
  static const LazyRegex form(R"(\(.*?pid=.*?\) )", RE2::Latin1);
  return match_length(form, line);
}

// "trainer-1  | " of docker compose.
std::size_t length_of_service(std::string_view line) {
  static const LazyRegex form(R"([^ :|,;=]+-\d+ *  \| )", RE2::Latin1);
  return match_length(form, line);
}

// "> " of a mail or an issue, and the time stamps and names that services and launchers put before a line.
std::size_t mark(std::string_view line) {
  if (line.empty()) return 0;
  switch (line[0]) {
    case '>':
      return line.size() == 1 ? 1 : line[1] == ' ' ? 2 : 0;
    case '[':
      return line.starts_with("[rank") || line.starts_with("[default") || line.starts_with("[pod/") ||
                     contains(line.substr(0, 16), "]<std")
                 ? length_of_brackets(line)
                 : 0;
    case '(':
      return contains(line.substr(0, 80), "pid=") ? length_of_process(line.substr(0, 80)) : 0;
    default:
      if (line.size() > 10 && digit(line[0]) && line[4] == '-' && line[10] == 'T') {
        if (const std::size_t length = length_of_time(line); length > 0) return length;
      }
      // The bar is looked for first: blanks are many.
      return holds(line.substr(0, 67), '|') && contains(line.substr(0, 67), "  | ")
                 ? length_of_service(line.substr(0, 68))
                 : 0;
  }
}

}  // namespace

std::string_view plain_log_line(std::string_view line, std::string& scratch) {
  if (holds(line, '\x1b')) line = without_colours(line, scratch);
  if (contains(line, "\xe2\x80") || holds(line, '\xef')) line = with_plain_signs(line, scratch);
  // In XML, such as nvidia-smi's own, they belong to the text.
  if (holds(line, '&') && holds(line, ';') && !trimmed(line).starts_with('<')) line = without_entities(line, scratch);
  if (is_structured(line)) line = without_escapes(line, scratch);
  if (contains(line, "**") && line.size() < 1000) line = without_bold(line, scratch);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  for (;;) {
    const std::size_t cut = mark(line);
    if (cut == 0) return line;
    line.remove_prefix(cut);
  }
}

}  // namespace envdoctor
