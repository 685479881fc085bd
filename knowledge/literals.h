#pragma once
// Fixed words of regular expressions, and the search for many of them at once.
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// A run of characters that every text matched by one alternative of a pattern contains, and how far a match can reach
// around it: the run it starts with, if that is long enough to be rare, else the longest.
struct Literal {
  static constexpr std::size_t far = 128;  // how far an open repeat (+, *) is followed

  std::string word{};      // lower case
  std::string exact{};     // as the pattern writes it
  std::string also{};      // another run that every such match contains, or nothing
  std::size_t before = 0;  // most characters of a match before the word
  std::size_t after = 0;   // and behind it
  bool whole = false;      // the alternative is this word and nothing else
  bool fold = false;       // in any mixture of capitals

  bool operator==(const Literal&) const = default;
};

// One for each alternative of an RE2 pattern, or none at all, if some alternative has no run of four characters.
std::vector<Literal> required_literals(std::string_view pattern);

// Finds which of many words occur in a text, letters' case aside, in one pass: four characters at a time are looked up
// in a small table, and where one of the words has these four, the word is compared.
class LiteralSearch {
 public:
  // `words[i]`, lower case and of at least four characters, is reported as i.
  explicit LiteralSearch(const std::vector<std::string>& words);

  // Calls `hit(i, at)` for each place `at` where the word i stands.
  template <class Hit>
  void each(std::string_view text, Hit hit) const {
    for (std::size_t at = 0; at + gram_size <= text.size(); ++at) {
      const std::uint32_t gram = folded_gram(text.data() + at);
      const std::uint32_t mark = mixed(gram) >> (32U - mark_bits);
      if ((marks_[mark / 64] >> (mark % 64) & 1U) == 0) continue;
      for (std::uint32_t i = first_[slot(gram)]; i < first_[slot(gram) + 1]; ++i) {
        const Window& one = windows_[i];
        if (one.gram == gram && one.offset <= at && stands_at(one.word, text.substr(at - one.offset)))
          hit(one.word, at - one.offset);
      }
    }
  }

 private:
  static constexpr std::size_t gram_size = 4;
  static constexpr unsigned mark_bits = 17;  // 16 KiB, half a processor's nearest cache
  static constexpr unsigned slot_bits = 10;
  struct Window {  // the four characters that a word is found by
    std::uint32_t gram = 0;
    std::uint32_t offset = 0;
    std::uint32_t word = 0;
  };

  // Four characters as one number, capitals as small letters (and a few signs as others: the word is compared anyway).
  static std::uint32_t folded_gram(const char* at) {
    std::uint32_t gram = 0;
    std::memcpy(&gram, at, gram_size);
    return gram | 0x20202020U;
  }
  static std::uint32_t mixed(std::uint32_t gram) { return gram * 2654435761U; }
  static std::uint32_t slot(std::uint32_t gram) { return mixed(gram) >> (32U - slot_bits); }
  [[nodiscard]] bool stands_at(std::uint32_t word, std::string_view text) const;

  std::vector<std::string> words_{};
  std::array<std::uint64_t, (std::size_t{1} << mark_bits) / 64> marks_{};  // a bit for each gram, by its mixed number
  std::vector<Window> windows_{};                                           // by slot
  std::array<std::uint32_t, (std::size_t{1} << slot_bits) + 1> first_{};   // the windows of each slot
};

}  // namespace envdoctor::knowledge
