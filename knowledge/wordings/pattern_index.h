#pragma once
// The index that finds log patterns. The build makes it from our own table, to save time at start; for a table that
// replaces ours it is made at first use.
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "knowledge/wordings/literal_search.h"
#include "knowledge/wordings/literals.h"

namespace envdoctor::knowledge {

// A line's shape: its text with each digit as 0. The lines of a log often differ in their digits only; the index holds
// the shapes of words, so that all lines of one shape have the same words at the same places.
inline void put_shape(std::string_view text, std::string& shape) {
  shape.assign(text);
  for (char& c : shape) c = c >= '0' && c <= '9' ? '0' : c;
}
inline std::string shape_of(std::string_view text) {
  std::string shape;
  put_shape(text, shape);
  return shape;
}

// The pairs of characters that a line contains, without regard to case. They rule out most runs that the line lacks,
// much faster than a search for each run.
class PairsOfLine {
 public:
  // Forgets the line before.
  void take(std::string_view line);
  [[nodiscard]] bool may_hold(std::string_view run) const {
    for (std::size_t i = 0; i + 1 < run.size(); ++i)
      if (line_of_[place(run.data() + i)] != line_) return false;
    return true;
  }

 private:
  static constexpr unsigned bits = 12;
  static std::size_t place(const char* at) {
    std::uint16_t pair = 0;
    std::memcpy(&pair, at, sizeof pair);
    return (pair | 0x2020U) * 2654435761U >> (32U - bits);
  }

  std::array<std::uint8_t, std::size_t{1} << bits> line_of_{};  // the line that held the pair last
  std::uint8_t line_ = 0;
};

struct PatternIndex {
  // A word that is searched for. The data for checking an occurrence is kept close together, because there may be very
  // many occurrences.
  struct Word {
    std::uint32_t row = 0;  // index of the pattern, or of the kind of report in the order of names
    std::uint32_t size = 0;
    std::uint32_t in_front = 0;  // index in `sets`
    std::uint32_t behind = 0;
    bool report = false;
    bool whole = false;
    bool at_start = false;
    bool fold = false;
    std::uint32_t before = 0;  // the other members are as in Literal
    std::uint32_t after = 0;
    std::uint32_t also_begin = 0, also_end = 0;  // range in `runs`
  };
  struct Run {
    std::uint32_t begin = 0, size = 0;  // place in `letters`
    std::uint32_t ends_set = 0;         // 1: the last run of a set; a match contains one run of each set
  };

  // Reads the output of pattern_index(), which must outlive it.
  explicit PatternIndex(std::string_view bytes);

  // All that follows is asked about the shape of a line, never about the line. Whether the characters around the word at
  // `at` are allowed.
  [[nodiscard]] bool fits(const Word& word, std::string_view line, std::size_t at) const {
    const std::size_t end = at + word.size;
    return (word.in_front == 0 || (at > 0 && sets[word.in_front][index_of(line[at - 1])])) &&
           (word.behind == 0 || (end < line.size() && sets[word.behind][index_of(line[end])]));
  }
  // Whether the line may contain one of the word's further runs of each set and, for a pattern at the line's start,
  // whether the word is near it.
  [[nodiscard]] bool may_match(const Word& word, const PairsOfLine& pairs, std::size_t at) const;
  // Whether these runs are near the word. For a word with `fold` the line is in lower case.
  [[nodiscard]] bool runs_are_near(const Word& word, const PairsOfLine& pairs, std::string_view line,
                                   std::size_t at) const;

  // Whether one run of each set passes the test.
  template <class Test>
  [[nodiscard]] bool one_of_each(const Word& word, const Test& test) const {
    bool held = false;
    for (const Run& run : runs.subspan(word.also_begin, word.also_end - word.also_begin)) {
      held = held || test(std::string_view(letters.data() + run.begin, run.size));
      if (run.ends_set == 0) continue;
      if (!held) return false;
      held = false;
    }
    return true;
  }

  std::span<const Word> words{};  // indexed by the search's results
  std::span<const Characters> sets{};
  std::span<const Run> runs{};
  std::span<const char> letters{};
  LiteralSearch search;
};

// Built from the current table of wordings. Throws std::runtime_error naming a row that can't be searched for.
std::string pattern_index();

}  // namespace envdoctor::knowledge
