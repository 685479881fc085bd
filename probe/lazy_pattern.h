#pragma once
#include <re2/re2.h>

#include <bitset>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

// A text in lower case and the set of its characters, which is enough to reject most searches for a word.
class LowerText {
 public:
  explicit LowerText(std::string_view text);

  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] bool has(std::string_view word) const;  // in lower case

 private:
  std::string text_;
  std::bitset<256> characters_{};
};

// A pattern that is compiled when a text first has one of its words: compiling all patterns takes longer than the
// rest of a short run.
class LazyPattern {
 public:
  // A matching text has at least this length and one of the words, in lower case; no words: any text may match.
  LazyPattern(std::string expression, std::vector<std::string_view> words, std::size_t shortest = 0)
      : expression_(std::move(expression)), words_(std::move(words)), shortest_(shortest) {}

  [[nodiscard]] const RE2* for_text(const LowerText& text) const;  // null if the text can't match

 private:
  std::string expression_;
  std::vector<std::string_view> words_;
  std::size_t shortest_;
  mutable std::unique_ptr<RE2> compiled_{};
};

}  // namespace envdoctor
