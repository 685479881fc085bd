#include "knowledge/log_patterns.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "knowledge/knowledge.h"
#include "knowledge/literals.h"

namespace envdoctor::knowledge {
namespace {

RE2::Options options() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  return options;
}

// A row, with its expressions compiled when a line first needs them: most runs need few.
class Pattern {
 public:
  explicit Pattern(LogPattern row) : row_(std::move(row)) {}
  [[nodiscard]] const LogPattern& row() const { return row_; }

  std::optional<LogMatch> match(std::string_view line) const {
    if (!pattern_) {
      pattern_ = std::make_unique<RE2>(row_.pattern, options());
      capture_ = std::make_unique<RE2>(row_.capture.empty() ? row_.pattern : row_.capture, options());
    }
    const re2::StringPiece text(line.data(), line.size());
    if (!pattern_->ok() || !RE2::PartialMatch(text, *pattern_)) return std::nullopt;
    LogMatch found{.event = row_.event, .framework = row_.framework, .fields = row_.set};
    const auto& groups = capture_->CapturingGroupNames();
    if (groups.empty() || !capture_->ok()) return found;
    std::vector<re2::StringPiece> pieces(static_cast<std::size_t>(capture_->NumberOfCapturingGroups()) + 1);
    if (!capture_->Match(text, 0, text.size(), RE2::UNANCHORED, pieces.data(), static_cast<int>(pieces.size()))) {
      return found;
    }
    for (const auto& [group, name] : groups) {
      re2::StringPiece piece = pieces[static_cast<std::size_t>(group)];
      while (!piece.empty() && piece[piece.size() - 1] == ' ') piece.remove_suffix(1);
      if (!piece.empty()) found.fields[name] = piece.as_string();
    }
    return found;
  }

 private:
  LogPattern row_{};
  mutable std::unique_ptr<RE2> pattern_{};
  mutable std::unique_ptr<RE2> capture_{};
};

std::vector<LogPattern> read_rows() {
  std::vector<LogPattern> rows;
  const auto document = nlohmann::json::parse(table("log_patterns"));
  for (const auto& row : document.at("patterns")) {
    LogPattern pattern{.id = row.at("id"), .event = row.at("event"), .pattern = row.at("pattern")};
    pattern.framework = row.value("framework", "");
    pattern.capture = row.value("capture", "");
    pattern.set = row.value("set", std::map<std::string, std::string>());
    pattern.example = row.value("example", "");
    pattern.fields = row.value("fields", std::map<std::string, std::string>());
    rows.push_back(std::move(pattern));
  }
  return rows;
}

struct Patterns {
  std::vector<Pattern> rows{};
  std::vector<std::uint32_t> row_of_word{};
  std::vector<std::uint32_t> always{};  // rows without a literal of their own; the tests keep this empty
  std::optional<LiteralSearch> search{};
};

const Patterns& patterns() {
  static const Patterns all = [] {
    Patterns p;
    std::vector<std::string> words;
    for (LogPattern& row : read_rows()) {
      const auto number = static_cast<std::uint32_t>(p.rows.size());
      const std::vector<std::string> literals = required_literals(row.pattern);
      if (literals.empty()) p.always.push_back(number);
      for (const std::string& literal : literals) {
        words.push_back(literal);
        p.row_of_word.push_back(number);
      }
      p.rows.emplace_back(std::move(row));
    }
    p.search.emplace(words);
    return p;
  }();
  return all;
}

}  // namespace

std::vector<LogPattern> log_patterns() {
  std::vector<LogPattern> rows;
  for (const Pattern& pattern : patterns().rows) rows.push_back(pattern.row());
  return rows;
}

std::vector<LogMatch> LogMatcher::match(std::string_view line) {
  constexpr std::uint32_t enough = 500;
  const Patterns& all = patterns();
  matched_.resize(all.rows.size());
  std::vector<std::uint32_t> candidates = all.always;
  all.search->each(line, [&](std::uint32_t word) {
    const std::uint32_t row = all.row_of_word[word];
    if (matched_[row] >= enough) return;
    if (std::ranges::find(candidates, row) == candidates.end()) candidates.push_back(row);
  });
  std::vector<LogMatch> found;
  if (candidates.empty()) return found;
  std::ranges::sort(candidates);
  for (const std::uint32_t row : candidates) {
    std::optional<LogMatch> match = all.rows[row].match(line);
    if (!match) continue;
    ++matched_[row];
    found.push_back(std::move(*match));
  }
  return found;
}

std::vector<LogMatch> match_log_line(std::string_view line) { return LogMatcher().match(line); }

}  // namespace envdoctor::knowledge
