#include "knowledge/log_patterns.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>

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

  // Whether the pattern matches with the word of its alternative `literal` at `at`, where that word stands and is not
  // all of it.
  bool matches(std::string_view line, const Literal& literal, std::size_t at) const {
    if (literal.at_start && at > literal.before) return false;
    const std::size_t from = at - std::min(at, literal.before);
    const std::size_t to = std::min(line.size(), at + literal.word.size() + literal.after);
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

// A word that is searched for, with what is asked first of each place where it stands: close together, as there may be
// very many such places.
struct Word {
  const Literal* literal = nullptr;  // of a pattern; none: of a kind of report
  std::uint32_t row = 0;             // of the pattern or the kind
  std::uint32_t size = 0;
  std::uint32_t in_front = 0;  // in Patterns::sets
  std::uint32_t behind = 0;
  bool whole = false;
};

struct Patterns {
  std::vector<Pattern> rows{};
  ReportWords reports{};
  std::vector<Word> words{};
  std::vector<Characters> sets{any_character};
  std::optional<LiteralSearch> search{};

  // Whether what stands around the word at `at` may be.
  [[nodiscard]] bool fits(const Word& word, std::string_view line, std::size_t at) const {
    const std::size_t end = at + word.size;
    return (word.in_front == 0 || (at > 0 && sets[word.in_front][index_of(line[at - 1])])) &&
           (word.behind == 0 || (end < line.size() && sets[word.behind][index_of(line[end])]));
  }
  void search_words();
};

// Makes `words`, `sets` and `search`.
void Patterns::search_words() {
  std::vector<LiteralSearch::Word> texts;
  for (std::uint32_t row = 0; const auto& [kind, kind_words] : reports) {
    for (const std::string& word : kind_words) {
      texts.push_back({.text = word, .fold = true});
      words.push_back({.row = row});
    }
    ++row;
  }
  std::unordered_map<Characters, std::uint32_t> numbers;
  const auto number_of = [&](const Characters& set) {
    if (set.all()) return std::uint32_t{0};
    const auto [found, fresh] = numbers.emplace(set, static_cast<std::uint32_t>(sets.size()));
    if (fresh) sets.push_back(set);
    return found->second;
  };
  for (std::uint32_t row = 0; const Pattern& pattern : rows) {
    for (const Literal& one : pattern.literals()) {
      texts.push_back({.text = one.word, .fold = one.fold});
      words.push_back({.literal = &one,
                       .row = row,
                       .size = static_cast<std::uint32_t>(one.word.size()),
                       .in_front = number_of(one.in_front),
                       .behind = number_of(one.behind),
                       .whole = one.whole});
    }
    ++row;
  }
  search.emplace(texts);
}

const Patterns& patterns() {
  static const Patterns& all = *[] {  // lives until the process ends: taking it apart would only cost time
    auto* const made = new Patterns();
    Patterns& p = *made;
    const bool foreign = table_is_replaced("log_patterns");
    read_table("log_patterns",
               {{"reports", [&p](const Row& row) { p.reports.emplace(row.text("kind"), row.texts("words")); }},
                {"patterns", [&p, foreign](const Row& row) {
                   const Pattern& pattern = p.rows.emplace_back(read_row(row));
                   if (foreign && !pattern.sound())
                     row.wrong("pattern", "an RE2 expression whose alternatives each hold four fixed characters");
                 }}});
    p.search_words();
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
    const Word& found = all.words[word];
    if (found.literal == nullptr) {
      reports_.set(found.row);
      return;
    }
    if (!all.fits(found, line, at)) return;
    Row& row = rows_[found.row];
    if (row.last == line_ || row.matched == enough) return;
    const Pattern& pattern = all.rows[found.row];
    if (!found.whole && !pattern.matches(line, *found.literal, at)) return;
    if (!pattern.reads_codes()) ++row.matched;
    row.last = line_;
    hits_.emplace_back(found.row, at);
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
