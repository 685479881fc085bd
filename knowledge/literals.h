#pragma once
// Fixed words of regular expressions, and the search for many of them at once.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/characters.h"

namespace envdoctor::knowledge {

// A run of characters that every text matched by one form of a pattern contains, and how far a match can reach around
// it: the run it starts with, if that is rare, else its rarest.
struct Literal {
  std::string word{};                   // as the pattern writes it
  std::vector<std::string> also{};      // runs of which every such match contains one; empty: none is known
  std::size_t before = 0;               // most characters of a match before the word
  std::size_t after = 0;                // and behind it
  Characters in_front = any_character;  // what stands before the word; any: or nothing
  Characters behind = any_character;    // what follows it
  bool at_start = false;                // a match begins where the line does
  bool whole = false;                   // a form is this word and nothing else
  bool fold = false;                    // in any mixture of capitals, or parts of it may be

  bool operator==(const Literal&) const = default;
};

// Those of an RE2 pattern's forms (pattern_forms.h), or none at all, if some form has no run of four characters.
std::vector<Literal> required_literals(std::string_view pattern);

// Finds which of many words occur in a text in one pass: four characters at a time are looked up in a small table, and
// where one of the words has these four, the word is compared.
class LiteralSearch {
 public:
  struct Word {
    std::string_view text{};  // at least four characters
    bool fold = false;        // in any mixture of capitals
  };
  // `words[i]` is reported as i.
  explicit LiteralSearch(const std::vector<Word>& words);

  // Calls `hit(i, at)` for each place `at` where the word i stands.
  template <class Hit>
  void each(std::string_view text, Hit hit) const {
    for (std::size_t at = next_mark(text, 0); at < text.size(); at = next_mark(text, at + 1)) {
      const std::uint32_t gram = folded<std::uint32_t>(text.data() + at);
      const std::uint32_t in = slot(gram);
      const std::uint32_t end = first_[in + 1];
      for (std::uint32_t i = first_[in]; i < end; ++i) {
        if (grams_[i] != gram) continue;
        const Window& one = windows_[i];
        if (one.offset <= at && starts(text.substr(at - one.offset), one)) hit(one.word, at - one.offset);
      }
    }
  }

 private:
  static constexpr std::size_t gram_size = 4;
  static constexpr unsigned mark_bits = 17;  // 16 KiB, half a processor's nearest cache
  static constexpr unsigned slot_bits = 12;
  struct Window {  // the four characters that a word is found by
    std::uint32_t offset = 0;
    std::uint32_t word = 0;
    std::uint32_t begin = 0;  // of the word in letters_
    std::uint32_t size = 0;
    std::uint64_t start = 0;  // folded: what the word starts with, if it has as many characters, else 0
    bool fold = false;
  };

  // Characters as one number, capitals as small letters (and a few signs as others: the word is compared anyway).
  template <class Number>
  static Number folded(const char* at) {
    Number characters = 0;
    std::memcpy(&characters, at, sizeof characters);
    return characters | static_cast<Number>(0x2020202020202020U);
  }
  static std::uint32_t mixed(std::uint32_t gram) { return gram * 2654435761U; }
  static std::uint32_t mark(std::uint32_t gram) { return mixed(gram) >> (32U - mark_bits); }
  static std::uint32_t slot(std::uint32_t gram) { return mixed(gram) >> (32U - slot_bits); }
  [[nodiscard]] std::uint64_t marked(std::uint32_t gram) const {
    return marks_[mark(gram) / 64] >> mark(gram) % 64 & 1U;
  }
  [[nodiscard]] std::size_t next_mark(std::string_view text, std::size_t at) const;  // the text's size: none
  [[nodiscard]] bool starts(std::string_view text, const Window& one) const {
    if (text.size() < one.size) return false;
    return (one.start == 0 || folded<std::uint64_t>(text.data()) == one.start) && same(text.data(), one);
  }
  [[nodiscard]] bool same(const char* text, const Window& one) const;

  std::string letters_{};                                                  // all words
  std::array<std::uint64_t, (std::size_t{1} << mark_bits) / 64> marks_{};  // a bit for each gram, by its mixed number
  std::vector<std::uint32_t> grams_{};                                     // by slot
  std::vector<Window> windows_{};                                          // of each gram
  std::array<std::uint32_t, (std::size_t{1} << slot_bits) + 1> first_{};   // the grams of each slot
};

}  // namespace envdoctor::knowledge
