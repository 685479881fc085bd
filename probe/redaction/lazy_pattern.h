#pragma once
#include <re2/re2.h>

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

// A text in lower case and the characters and pairs of them that it has, which are enough to reject most searches for a
// word.
class LowerText {
 public:
  explicit LowerText(std::string_view text);

  [[nodiscard]] std::size_t size() const { return text_.size() - 1; }
  // In lower case; a line break stands before the text, too. Most words are ruled out by their length or first pair.
  [[nodiscard]] bool has(std::string_view word) const {
    return word.size() <= text_.size() && (word.size() < 2 || pairs_.test(place(word[0], word[1]))) && finds(word);
  }
  [[nodiscard]] std::size_t count(char c) const { return counts_[static_cast<unsigned char>(c)]; }
  // The most letters and digits in a row; the same with the marks of base64 and of names: _ - / +
  [[nodiscard]] std::size_t longest_run() const { return longest_run_; }
  [[nodiscard]] std::size_t longest_token() const { return longest_token_; }
  [[nodiscard]] bool is_ascii() const { return is_ascii_; }
  // Where a pair of characters is noted, and whether one may stand in the text; `anywhere` always may.
  static constexpr std::size_t anywhere = 4096;
  static constexpr std::size_t place(char first, char second) {
    return (static_cast<unsigned char>(first) * 37U + static_cast<unsigned char>(second)) % anywhere;
  }
  [[nodiscard]] bool may_have(std::size_t pair) const { return pairs_[pair]; }

 private:
  [[nodiscard]] bool finds(std::string_view word) const;

  std::string text_;
  std::array<std::uint32_t, 256> counts_{};
  std::bitset<anywhere + 1> pairs_{};  // by place(): several share one
  std::size_t longest_run_ = 0, longest_token_ = 0;
  bool is_ascii_ = true;
};

// The compiler finds the rarest pair of each word: hundreds of words would cost a start more than reading a snapshot does.
// clang 14 destroys lists of words that a consteval constructor has not made.
#ifdef __clang__
#define ENVDOCTOR_AT_BUILD constexpr
#else
#define ENVDOCTOR_AT_BUILD consteval
#endif

// What a text must have: a word in lower case, or a character that often.
struct Needed {
  ENVDOCTOR_AT_BUILD Needed(const char* word_) : word(word_) {  // NOLINT: lists of words stay lists of words
    // From the most frequent in programs' texts to the rarest; marks and figures stand between.
    constexpr std::string_view letters = " etaonirscdlmpufhgb_vwyxkqzj";
    const auto rank = [&](char c) {
      const std::size_t at = letters.find(c);
      return at == letters.npos ? letters.size() / 2 : at;
    };
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      const std::size_t rarity = 1 + rank(word[i]) + rank(word[i + 1]);
      if (rarity <= best) continue;
      best = rarity;
      rarest_pair = LowerText::place(word[i], word[i + 1]);
    }
  }
  constexpr Needed(char c, std::size_t times_) : times(times_), character(c) {}

  [[nodiscard]] bool in(const LowerText& text) const {
    return text.may_have(rarest_pair) && (times > 0 ? text.count(character) >= times : text.has(word));
  }

  std::string_view word{};
  std::size_t times = 0;
  std::size_t rarest_pair = LowerText::anywhere;  // of the word: most texts are ruled out by it
  char character = 0;
};

// How many letters and digits in a row a text must have.
struct Run {
  Run(std::size_t length_) : length(length_) {}  // NOLINT: mostly a number alone
  static Run with_marks(std::size_t length_) {
    Run run(length_);
    run.marks = true;
    return run;
  }

  [[nodiscard]] bool in(const LowerText& text) const {
    return (marks ? text.longest_token() : text.longest_run()) >= length;
  }

  std::size_t length = 0;
  bool marks = false;  // those of LowerText::longest_token() count as well
};

// A pattern that is compiled when a text first has what it needs: compiling all patterns takes longer than the rest of
// a short run.
class LazyPattern {
 public:
  // A matching text has at least this length, this run and one of what is listed; nothing listed: any text may match.
  LazyPattern(std::string expression, std::vector<Needed> needed, std::size_t shortest = 0, Run run = 0)
      : expression_(std::move(expression)), needed_(std::move(needed)), shortest_(shortest), run_(run) {}

  [[nodiscard]] const RE2* for_text(const LowerText& text) const;  // null if the text can't match

 private:
  std::string expression_;
  std::vector<Needed> needed_;
  std::size_t shortest_;
  Run run_;
  // A text of ASCII alone is matched by a pattern that knows no other letters: classes such as \pL and those of all
  // characters but a few are many times smaller there.
  mutable std::unique_ptr<RE2> compiled_{}, of_ascii_{};
};

}  // namespace envdoctor
