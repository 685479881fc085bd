#include "knowledge/log_patterns.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "knowledge/literals.h"
#include "knowledge/rows.h"

namespace envdoctor::knowledge {
namespace {

RE2::Options options() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  return options;
}

constexpr std::size_t reach_of_fields = 2048;

// The characters that an expression for one character matches, in capitals or not.
const std::bitset<256>& characters(const std::string& expression) {
  static std::map<std::string, std::bitset<256>> all;
  const auto [found, fresh] = all.try_emplace(expression);
  if (fresh) {
    const RE2 one("(?i)" + expression, options());
    for (int c = 0; c < 256; ++c) {
      const char character = static_cast<char>(c);
      found->second[static_cast<std::size_t>(c)] = !one.ok() || RE2::FullMatch({&character, 1}, one);
    }
  }
  return found->second;
}

// A row, with its expressions compiled when a line first needs them: most runs need few.
class Pattern {
 public:
  explicit Pattern(LogPattern row)
      : row_(std::move(row)),
        literals_(required_literals(row_.pattern)),
        reads_codes_(row_.capture.find("(?P<code>") != row_.capture.npos) {}
  [[nodiscard]] const std::vector<Literal>& literals() const { return literals_; }
  // Whether its lines are as many messages as there are codes.
  [[nodiscard]] bool reads_codes() const { return reads_codes_; }

  // Whether the pattern matches with the word of its alternative `literal` at `at`, where that word stands but for
  // case.
  bool matches(std::string_view line, const Literal& literal, std::size_t at) const {
    const std::size_t size = literal.word.size();
    if (literal.whole) return literal.fold || line.compare(at, size, literal.exact) == 0;
    if (literal.at_start && at > literal.before) return false;
    if (!literal.next.empty() &&
        (at + size == line.size() || !characters(literal.next)[static_cast<unsigned char>(line[at + size])]))
      return false;
    const std::size_t from = at - std::min(at, literal.before);
    const std::size_t to = std::min(line.size(), at + size + literal.after);
    const std::string_view near = line.substr(from, to - from);
    if (!literal.also.empty() && std::ranges::none_of(literal.also, [near](const std::string& run) {
          return memmem(near.data(), near.size(), run.data(), run.size()) != nullptr;  // quicker than find()
        }))
      return false;
    if (!pattern_) pattern_ = std::make_unique<RE2>(row_.pattern, options());
    const auto anchor = literal.before == 0 ? RE2::ANCHOR_START : RE2::UNANCHORED;
    return pattern_->ok() && pattern_->Match({line.data(), line.size()}, from, to, anchor, nullptr, 0);
  }

  // Whether it can ever be found. Our own rows are, so only those of a foreign table are asked.
  [[nodiscard]] bool sound() const {
    return !literals_.empty() && RE2(row_.pattern, options()).ok() && RE2(row_.capture, options()).ok();
  }

  // What the line says, in which the pattern was found at `at`.
  LogMatch read(std::string_view line, std::size_t at) const {
    LogMatch found{.event = row_.event, .framework = row_.framework, .fields = row_.set};
    const std::string& expression = row_.capture.empty() ? row_.pattern : row_.capture;
    if (expression.find("(?P<") == std::string::npos) return found;
    if (!capture_) capture_ = std::make_unique<RE2>(expression, options());
    const std::size_t from = at - std::min(at, reach_of_fields);
    line = line.substr(from, at - from + reach_of_fields);
    const re2::StringPiece text(line.data(), line.size());
    std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(capture_->NumberOfCapturingGroups()) + 1);
    if (!capture_->ok() ||
        !capture_->Match(text, 0, text.size(), RE2::UNANCHORED, pieces.data(), static_cast<int>(pieces.size()))) {
      return found;
    }
    for (const auto& [group, name] : capture_->CapturingGroupNames()) {
      re2::StringPiece piece = pieces[static_cast<std::size_t>(group)];
      while (!piece.empty() && piece[piece.size() - 1] == ' ') piece.remove_suffix(1);
      if (!piece.empty()) found.fields[name] = piece.as_string();
    }
    return found;
  }

 private:
  LogPattern row_{};
  std::vector<Literal> literals_{};
  bool reads_codes_ = false;
  mutable std::unique_ptr<RE2> pattern_{};
  mutable std::unique_ptr<RE2> capture_{};
};

using ReportWords = std::map<std::string, std::vector<std::string>>;

LogPattern read_row(const Row& row) {
  return {.id = row.text("id"),
          .event = row.text("event"),
          .framework = row.text_if("framework"),
          .pattern = row.text("pattern"),
          .capture = row.text_if("capture"),
          .set = row.texts_by_key("set")};
}

struct Patterns {
  struct Word {  // of a row's literal, or of a kind of report
    std::uint32_t row = 0;
    std::uint32_t literal = 0;
    bool of_report = false;
  };
  std::vector<Pattern> rows{};
  ReportWords reports{};
  std::vector<Word> words{};
  std::optional<LiteralSearch> search{};
};

const Patterns& patterns() {
  static const Patterns& all = *[] {  // lives until the process ends: taking it apart would only cost time
    auto* const made = new Patterns();
    Patterns& p = *made;
    std::vector<std::string> words;
    const bool foreign = table_is_replaced("log_patterns");
    read_table("log_patterns",
               {{"reports", [&p](const Row& row) { p.reports.emplace(row.text("kind"), row.texts("words")); }},
                {"patterns", [&p, foreign](const Row& row) {
                   const Pattern& pattern = p.rows.emplace_back(read_row(row));
                   if (foreign && !pattern.sound())
                     row.wrong("pattern", "an RE2 expression whose alternatives each hold four fixed characters");
                 }}});
    for (std::uint32_t number = 0; const auto& [kind, kind_words] : p.reports) {
      words.insert(words.end(), kind_words.begin(), kind_words.end());
      p.words.insert(p.words.end(), kind_words.size(), {.row = number++, .of_report = true});
    }
    for (std::uint32_t number = 0; const Pattern& pattern : p.rows) {
      for (std::uint32_t i = 0; i < pattern.literals().size(); ++i) {
        words.push_back(pattern.literals()[i].word);
        p.words.push_back({.row = number, .literal = i});
      }
      ++number;
    }
    p.search.emplace(words);
    return made;
  }();
  return all;
}

}  // namespace

std::vector<LogPattern> log_patterns() {
  std::vector<LogPattern> rows;
  read_table("log_patterns", {{"patterns", [&rows](const Row& row) {
                                 LogPattern& pattern = rows.emplace_back(read_row(row));
                                 pattern.example = row.text_if("example");
                                 pattern.fields = row.texts_by_key("fields");
                               }}});
  return rows;
}

const ReportWords& report_words() { return patterns().reports; }

std::vector<LogMatch> LogMatcher::match(std::string_view line) {
  constexpr std::uint32_t enough = 500;
  const Patterns& all = patterns();
  rows_.resize(all.rows.size());
  hits_.clear();
  reports_.reset();
  ++line_;
  all.search->each(line, [&](std::uint32_t word, std::size_t at) {
    const auto [number, literal, of_report] = all.words[word];
    if (of_report) {
      reports_.set(number);
      return;
    }
    Row& row = rows_[number];
    if (row.last == line_ || (row.matched >= enough && !all.rows[number].reads_codes())) return;
    if (!all.rows[number].matches(line, all.rows[number].literals()[literal], at)) return;
    ++row.matched;
    row.last = line_;
    hits_.emplace_back(number, at);
  });
  std::ranges::sort(hits_);
  std::vector<LogMatch> found;
  for (const auto& [row, at] : hits_) {
    found.push_back(all.rows[row].read(line, at));
    found.back().row = row;
  }
  return found;
}

std::vector<LogMatch> match_log_line(std::string_view line) { return LogMatcher().match(line); }

}  // namespace envdoctor::knowledge
