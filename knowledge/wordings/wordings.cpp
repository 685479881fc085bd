#include "knowledge/wordings/wordings.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "knowledge/codes/names.h"
#include "knowledge/embedded_tables.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "knowledge/table_rows.h"
#include "knowledge/wordings/pattern_index.h"

namespace envdoctor::knowledge {
namespace {

constexpr std::size_t reach_of_fields = 2048;

constexpr unsigned shape_bits = 8;  // of the shapes whose places are kept

// By its length, its ends and its middle: shapes that share a place only cost a search.
std::size_t place_of(std::string_view shape) {
  std::uint64_t mixed = shape.size();
  for (const std::size_t at : {std::size_t{0}, shape.size() / 3, shape.size() / 2, shape.size() - 8}) {
    std::uint64_t eight = 0;
    if (shape.size() >= sizeof eight) std::memcpy(&eight, shape.data() + at, sizeof eight);
    mixed = (mixed ^ eight) * 0x9E3779B97F4A7C15U;
    mixed ^= mixed >> 29U;
  }
  return mixed >> (64U - shape_bits);
}

// Whether a code between these texts is part of a program or a list of codes, and so no message.
bool in_source_code(std::string_view before, std::string_view behind) {
  const auto skip = [](std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); };
  before = skip(before);
  for (const std::string_view sign : {"case", "#define", "==", "!=", "<code>", "enum {"})
    if (before.ends_with(sign)) return true;
  if (before.ends_with("return")) return behind.starts_with(";");
  static const LazyRegex definition(R"( ?= ?-?(?:0x)?[0-9a-fA-F]+[,;]?\s*$)", RE2::Latin1);
  return re2::RE2::FullMatch({behind.data(), behind.size()}, definition);
}

// A row, with its expressions compiled when a line first needs them: most runs need few.
class Pattern {
 public:
  explicit Pattern(LogPattern row)
      : row_(std::move(row)), reads_codes_(row_.capture.find("(?P<code>") != row_.capture.npos) {}
  // Whether each code in its lines makes a different message.
  [[nodiscard]] bool reads_codes() const { return reads_codes_; }

  // Whether the pattern matches around its word at `at`.
  bool matches(std::string_view line, const PatternIndex::Word& word, std::size_t at) const {
    const std::size_t from = at - std::min<std::size_t>(at, word.before);
    const std::size_t to = std::min(line.size(), at + word.size + word.after);
    if (!pattern_) pattern_ = std::make_unique<RE2>(row_.pattern, pattern_options());
    const auto anchor = word.before == 0 ? RE2::ANCHOR_START : RE2::UNANCHORED;
    return pattern_->ok() && pattern_->Match({line.data(), line.size()}, from, to, anchor, nullptr, 0);
  }

  // The fields that the line fills, except those whose value was not captured.
  [[nodiscard]] std::map<std::string, std::string> fills(const LogMatch& match) const {
    std::map<std::string, std::string> filled;
    for (const auto& [pointer, value] : row_.fills) {
      std::string text = value;
      bool captured = true;
      for (std::size_t open = text.find('{'); captured && open != text.npos; open = text.find('{', open)) {
        const std::size_t close = text.find('}', open);
        if (close == text.npos) break;
        const std::string name = text.substr(open + 1, close - open - 1);
        const std::string what = name == "code" ? match.code : look_up(match.details, name).value_or("");
        captured = !what.empty();
        text.replace(open, close - open + 1, what);
        open += what.size();
      }
      if (captured) filled.emplace(pointer, std::move(text));
    }
    return filled;
  }

  // The meaning of the line in which the pattern was found at `at`. None: the code that it prints is unknown.
  std::optional<LogMatch> read(std::string_view line, std::size_t at) const {
    LogMatch found{.class_ = row_.class_,
                   .subject = row_.subject,
                   .code = row_.code,
                   .program = row_.program,
                   .details = row_.set};
    const std::string& expression = row_.capture.empty() ? row_.pattern : row_.capture;
    if (expression.find("(?P<") == std::string::npos) return found;
    if (!capture_) capture_ = std::make_unique<RE2>(expression, pattern_options());
    const std::size_t from = at - std::min(at, reach_of_fields);
    line = line.substr(from, at - from + reach_of_fields);
    const re2::StringPiece text(line.data(), line.size());
    std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(capture_->NumberOfCapturingGroups()) + 1);
    if (!capture_->ok() ||
        !capture_->Match(text, 0, text.size(), RE2::UNANCHORED, pieces.data(), static_cast<int>(pieces.size()))) {
      return row_.code_of.empty() ? std::optional(found) : std::nullopt;
    }
    std::string printed;
    for (const auto& [group, name] : capture_->CapturingGroupNames()) {
      re2::StringPiece piece = pieces[static_cast<std::size_t>(group)];
      while (!piece.empty() && piece[piece.size() - 1] == ' ') piece.remove_suffix(1);
      if (piece.empty()) continue;
      if (name == "code") {
        printed = piece.as_string();
        const auto begin = static_cast<std::size_t>(piece.data() - line.data());
        if (!row_.code_of.empty() && in_source_code(line.substr(0, begin), line.substr(begin + piece.size())))
          return std::nullopt;
      } else
        found.details[name] = piece.as_string();
    }
    if (!row_.code_of.empty()) return with_code(std::move(found), printed);
    if (!printed.empty()) found.code = std::move(printed);
    return found;
  }

 private:
  // A row with its own code applies to that code only; one without class takes it from the code.
  std::optional<LogMatch> with_code(LogMatch found, const std::string& printed) const {
    const auto code = find_code(row_.code_of, row_.code_prefix + printed);
    if (!code || (!row_.code.empty() && row_.code != code->name)) return std::nullopt;
    found.code = code->name;
    if (row_.class_.empty()) {
      found.class_ = code->class_;
      found.subject = code->subject;
    }
    return found.class_.empty() ? std::nullopt : std::optional(std::move(found));
  }

  LogPattern row_{};
  bool reads_codes_ = false;
  mutable std::unique_ptr<RE2> pattern_{};
  mutable std::unique_ptr<RE2> capture_{};
};

using ReportWords = std::map<std::string, std::vector<std::string>>;

LogPattern read_row(const Row& row) {
  return {.id = row.text("id"),
          .class_ = row.has("code_of") ? row.text_if("class") : row.text("class"),
          .subject = row.has("code_of") ? row.text_if("subject") : row.text("subject"),
          .code = row.text_if("code"),
          .program = row.text_if("program"),
          .pattern = row.text("pattern"),
          .capture = row.text_if("capture"),
          .code_of = row.text_if("code_of"),
          .code_prefix = row.text_if("code_prefix"),
          .set = row.texts_by_key("set"),
          .fills = row.texts_by_key("fills")};
}

// Our own rows are read when a line first needs them, those of a table that replaces ours at once, with its mistakes.
class Patterns {
 public:
  Patterns() {
    if (table_is_replaced("wordings")) {
      const Table table("wordings");
      take_reports(table);
      for (const Row& row : table["patterns"]) rows_.push_back(std::make_unique<Pattern>(read_row(row)));
      return;
    }
    std::string_view bytes = bytes_of(embedded_index, "wording_rows");
    for (std::size_t end = 0; !bytes.empty(); bytes.remove_prefix(end + 1))
      lines_.push_back(bytes.substr(0, end = bytes.find('\n')));
    take_reports(Table(table_file("wordings"), lines_.front()));
    rows_.resize(lines_.size() - 1);
  }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const ReportWords& reports() const { return reports_; }
  const Pattern& operator[](std::size_t row) const {
    std::unique_ptr<Pattern>& one = rows_[row];
    if (!one) {
      const Table table(table_file("wordings"), lines_[row + 1]);
      one = std::make_unique<Pattern>(read_row(table["patterns"].front()));
    }
    return *one;
  }

 private:
  void take_reports(const Table& table) {
    for (const Row& row : table["reports"]) reports_.emplace(row.text("kind"), row.texts("words"));
  }

  std::vector<std::string_view> lines_{};
  mutable std::vector<std::unique_ptr<Pattern>> rows_{};
  ReportWords reports_{};
};

// The table, read when a line may match one of its rows, or when reports are searched for.
const Patterns& patterns() {
  static const Patterns& all = *new Patterns();  // never freed: destroying it at exit would only cost time
  return all;
}

const PatternIndex& index_in_use() {
  static const std::string& made = *new std::string(table_is_replaced("wordings") ? pattern_index() : "");
  static const PatternIndex all(made.empty() ? bytes_of(embedded_index, "wordings") : made);
  return all;
}

}  // namespace

std::vector<LogPattern> wordings() {
  const Table table("wordings");
  std::vector<LogPattern> rows;
  for (const Row& row : table["patterns"]) {
    LogPattern& pattern = rows.emplace_back(read_row(row));
    pattern.example = row.text_if("example");
    pattern.fields = row.texts_by_key("fields");
  }
  return rows;
}

const ReportWords& report_words() {
  (void)index_in_use();  // fails early if the index can't be built from a foreign table
  return patterns().reports();
}

LogMatcher::LogMatcher() : pairs_(std::make_unique<PairsOfLine>()), known_(std::size_t{1} << shape_bits) {}
LogMatcher::~LogMatcher() = default;

bool LogMatcher::may_match(std::uint32_t word, std::size_t at, std::string_view shape) {
  const PatternIndex& all = index_in_use();
  const PatternIndex::Word& one = all.words[word];
  if (!all.fits(one, shape, at)) return false;
  if (one.whole) return true;
  if (!std::exchange(took_pairs_, true)) pairs_->take(shape);
  if (!all.may_match(one, *pairs_, at)) return false;
  if (one.fold && small_.empty()) make_lower_case(small_.assign(shape));
  return all.runs_are_near(one, *pairs_, one.fold ? small_ : shape, at);
}

void LogMatcher::search(OfShape& found) {
  const PatternIndex& all = index_in_use();
  found.places.clear();
  found.reports.reset();
  small_.clear();
  took_pairs_ = false;
  all.search.each(found.shape, [&](std::uint32_t word, std::size_t at) {
    if (all.words[word].report)
      found.reports.set(all.words[word].row);
    else if (may_match(word, at, found.shape))
      found.places.push_back({.word = word, .at = static_cast<std::uint32_t>(at)});
  });
}

std::vector<LogMatch> LogMatcher::match(std::string_view line) {
  constexpr std::uint32_t enough = 500;
  constexpr std::size_t longest_kept = 1024;
  const PatternIndex& all = index_in_use();
  put_shape(line, shape_);
  OfShape& of_shape = line.size() > longest_kept ? other_ : known_[place_of(shape_)];
  if (of_shape.shape != shape_) {
    of_shape.shape = shape_;
    search(of_shape);
  }
  found_ = &of_shape;
  hits_.clear();
  ++line_;
  for (const auto& [number, at] : of_shape.places) {
    const PatternIndex::Word& word = all.words[number];
    if (word.row >= rows_.size()) rows_.resize(patterns().size());
    Row& row = rows_[word.row];
    if (row.last == line_ || row.matched == enough) continue;
    const Pattern& pattern = patterns()[word.row];
    if (!word.whole && !pattern.matches(line, word, at)) continue;
    if (!pattern.reads_codes()) ++row.matched;
    row.last = line_;
    hits_.emplace_back(word.row, at);
  }
  std::ranges::sort(hits_);
  std::vector<LogMatch> found;
  for (const auto& [row, at] : hits_) {
    std::optional<LogMatch> match = patterns()[row].read(line, at);
    if (!match) continue;
    match->fills = patterns()[row].fills(*match);
    match->row = row;
    found.push_back(std::move(*match));
  }
  return found;
}

std::vector<LogMatch> match_log_line(std::string_view line) { return LogMatcher().match(line); }

}  // namespace envdoctor::knowledge
