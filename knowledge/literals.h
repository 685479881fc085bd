#pragma once
// Fixed words of regular expressions, and the search for many of them at once.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// For each alternative of an RE2 pattern, the longest run of characters that every text it matches contains (lower
// case). Empty, if some alternative has no run of at least four characters.
std::vector<std::string> required_literals(std::string_view pattern);

// Finds which of many words occur in a text, letters' case aside, in one pass that takes the same time for any text.
class LiteralSearch {
 public:
  // `words[i]` is reported as i. Only the first 16 characters of a word are searched for.
  explicit LiteralSearch(const std::vector<std::string>& words);
  // Calls `hit(i)` at each place where the word i ends; a word may be reported many times.
  template <class Hit>
  void each(std::string_view text, Hit hit) const {
    std::uint32_t state = 0;
    for (const unsigned char c : text) {
      state = next_[state + class_[c]];
      if (state >= first_output_) {
        for (const std::uint32_t word : outputs_[(state - first_output_) / classes_]) hit(word);
      }
    }
  }

 private:
  std::uint32_t classes_ = 1;
  std::uint32_t first_output_ = 0;
  std::uint8_t class_[256]{};
  std::vector<std::uint32_t> next_{};  // state * classes_ + class -> state * classes_
  std::vector<std::vector<std::uint32_t>> outputs_{};
};

}  // namespace envdoctor::knowledge
