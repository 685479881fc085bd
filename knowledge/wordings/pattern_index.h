#pragma once
// What the log patterns are found by. The build makes it from our own table, so that no start has to; of a table that
// stands in for ours it is made when it is first needed.
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "knowledge/wordings/literal_search.h"
#include "knowledge/wordings/literals.h"

namespace envdoctor::knowledge {

// Which pairs of characters a line holds, in any mixture of capitals: most runs that it lacks are told by them, far
// quicker than by a search for each.
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
  // A word that is searched for. What is asked of each place where it stands is close together, as there may be very
  // many such places.
  struct Word {
    std::uint32_t row = 0;  // of the patterns, or of the kinds of reports in the order of their names
    std::uint32_t size = 0;
    std::uint32_t in_front = 0;  // in `sets`
    std::uint32_t behind = 0;
    bool report = false;
    bool whole = false;
    bool at_start = false;
    bool fold = false;
    std::uint32_t before = 0;  // the rest is as in Literal
    std::uint32_t after = 0;
    std::uint32_t also_begin = 0, also_end = 0;  // in `runs`
  };
  struct Run {
    std::uint32_t begin = 0, size = 0;  // in `letters`
    std::uint32_t ends_set = 0;         // of those of which a match holds one
  };

  // Reads what pattern_index() wrote, which outlives it.
  explicit PatternIndex(std::string_view bytes);

  // Whether what stands around the word at `at` may be.
  [[nodiscard]] bool fits(const Word& word, std::string_view line, std::size_t at) const {
    const std::size_t end = at + word.size;
    return (word.in_front == 0 || (at > 0 && sets[word.in_front][index_of(line[at - 1])])) &&
           (word.behind == 0 || (end < line.size() && sets[word.behind][index_of(line[end])]));
  }
  // Whether the line may hold one run of each set that goes with the word and, of a pattern for a line's start, whether
  // the word is near it.
  [[nodiscard]] bool may_match(const Word& word, const PairsOfLine& pairs, std::size_t at) const;
  // Whether the runs are near the word. Of a word that is fold the line is in small letters.
  [[nodiscard]] bool runs_are_near(const Word& word, const PairsOfLine& pairs, std::string_view line,
                                   std::size_t at) const;

  // Whether one run of each set holds by this test.
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

  std::span<const Word> words{};  // by the number that the search reports
  std::span<const Characters> sets{};
  std::span<const Run> runs{};
  std::span<const char> letters{};
  LiteralSearch search;
};

// Of the table of wordings as it is now. Throws std::runtime_error naming a row that can't be searched for.
std::string pattern_index();

}  // namespace envdoctor::knowledge
