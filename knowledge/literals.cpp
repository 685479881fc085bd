#include "knowledge/literals.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "knowledge/lower_case.h"

namespace envdoctor::knowledge {
namespace {

// Reads a pattern piece by piece: what one character or group can be at most, and whether it is a fixed character.
class Reader {
 public:
  explicit Reader(std::string_view pattern) : rest_(pattern) {}

  struct Piece {
    char fixed = '\0';      // a character that is sure to be there once, else 0
    std::size_t width = 0;  // most characters
  };

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_[0] == c; }
  void skip() { rest_.remove_prefix(1); }

  Piece piece() {
    const Piece read = atom();
    std::size_t most = 1;
    bool repeated = false;
    if (at('?')) {
      repeated = true;
      skip();
    } else if (at('*') || at('+')) {
      repeated = true;
      most = Literal::far;
      skip();
    } else if (at('{')) {
      repeated = true;
      most = counted();
    }
    if (!repeated) return read;
    if (at('?')) skip();  // as few as possible: the same texts
    return {.fixed = '\0', .width = read.width * most};
  }

 private:
  Piece atom() {
    const char c = rest_[0];
    skip();
    if (c == '(') return {.width = group()};
    if (c == '[') return {.width = brackets()};
    if (c == '^' || c == '$') return {};
    if (c == '.') return {.width = 1};
    if (c != '\\' || rest_.empty()) return {.fixed = c, .width = 1};
    const char escaped = rest_[0];
    skip();
    if (escaped == 'b' || escaped == 'B') return {};
    if (std::isalnum(static_cast<unsigned char>(escaped))) return {.width = 1};
    return {.fixed = escaped, .width = 1};
  }

  std::size_t group() {
    if (at('?')) {  // ?: ?P<name> ?i
      const std::size_t end = rest_.find_first_of(":>)");
      if (end == std::string_view::npos) return 0;
      const bool flags_alone = rest_[end] == ')';
      rest_.remove_prefix(end + 1);
      if (flags_alone) return 0;
    }
    std::size_t widest = 0, width = 0;
    while (!done() && !at(')')) {
      if (at('|')) {
        skip();
        width = 0;
        continue;
      }
      width += piece().width;
      widest = std::max(widest, width);
    }
    if (!done()) skip();
    return widest;
  }

  std::size_t brackets() {
    std::size_t at = 0;
    if (at < rest_.size() && rest_[at] == '^') ++at;
    if (at < rest_.size() && rest_[at] == ']') ++at;
    for (; at < rest_.size() && rest_[at] != ']'; ++at) {
      if (rest_[at] == '\\') ++at;
    }
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
    return 1;
  }

  // {n}, {n,m}; {n,} is open.
  std::size_t counted() {
    const std::size_t end = std::min(rest_.find('}'), rest_.size());
    std::string_view number = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    number.remove_prefix(number.find_last_of("{,") + 1);
    std::size_t most = Literal::far;
    std::from_chars(number.data(), number.data() + number.size(), most);
    return most;
  }

  std::string_view rest_{};
};

// One alternative, piece by piece.
class Alternative {
 public:
  void add(const Reader::Piece& piece) {
    if (piece.fixed == '\0') {
      cut();
      only_fixed_ = false;
    } else {
      if (run_.empty()) before_run_ = width_;
      run_ += piece.fixed;
    }
    width_ += piece.width;
    behind_ += piece.width;
  }

  Literal take() {
    cut();
    best_.after = behind_;
    best_.whole = only_fixed_;
    best_.word = lower_case(best_.exact);
    return best_;
  }

 private:
  void cut() {
    constexpr std::size_t rare = 8;
    const bool starts_with_rare = best_.before == 0 && best_.exact.size() >= rare;
    if (run_.size() > best_.exact.size() && !starts_with_rare) {
      run_.swap(best_.exact);
      best_.before = before_run_;
      behind_ = 0;
    }
    if (run_.size() > best_.also.size()) best_.also = run_;
    run_.clear();
  }

  Literal best_{};
  std::string run_{};
  std::size_t before_run_ = 0;
  std::size_t width_ = 0;
  std::size_t behind_ = 0;  // since the best run
  bool only_fixed_ = true;
};

}  // namespace

std::vector<Literal> required_literals(std::string_view pattern) {
  constexpr std::string_view any_case = "(?i)";
  const bool fold = pattern.starts_with(any_case);
  if (fold) pattern.remove_prefix(any_case.size());
  const bool mixed = pattern.find(any_case) != std::string_view::npos;
  std::vector<Literal> all;
  Reader reader(pattern);
  Alternative alternative;
  while (!reader.done()) {
    if (reader.at('|')) {
      reader.skip();
      all.push_back(alternative.take());
      alternative = Alternative();
    } else {
      alternative.add(reader.piece());
    }
  }
  all.push_back(alternative.take());
  if (std::ranges::any_of(all, [](const Literal& one) { return one.word.size() < 4; })) return {};
  for (Literal& one : all) {
    one.fold = fold;
    one.whole = one.whole && !mixed;
    if (fold || mixed) one.also.clear();
  }
  return all;
}

}  // namespace envdoctor::knowledge
