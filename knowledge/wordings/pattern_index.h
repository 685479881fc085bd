#pragma once
// What the log patterns are found by. The build makes it from our own table, so that no start has to; of a table that
// stands in for ours it is made when it is first needed.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "knowledge/wordings/literal_search.h"
#include "knowledge/wordings/literals.h"

namespace envdoctor::knowledge {

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
  };

  // Reads what pattern_index() wrote, which outlives it.
  explicit PatternIndex(std::string_view bytes);

  // Whether what stands around the word at `at` may be.
  [[nodiscard]] bool fits(const Word& word, std::string_view line, std::size_t at) const {
    const std::size_t end = at + word.size;
    return (word.in_front == 0 || (at > 0 && sets[word.in_front][index_of(line[at - 1])])) &&
           (word.behind == 0 || (end < line.size() && sets[word.behind][index_of(line[end])]));
  }
  // Whether one of the runs that go with the word is near it and, of a pattern for a line's start, the start as well. Of
  // a word that is fold the line is in small letters.
  [[nodiscard]] bool may_match(const Word& word, std::string_view line, std::size_t at) const;

  std::span<const Word> words{};  // by the number that the search reports
  std::span<const Characters> sets{};
  std::span<const Run> runs{};
  std::span<const char> letters{};
  LiteralSearch search;
};

// Of the table of wordings as it is now. Throws std::runtime_error naming a row that can't be searched for.
std::string pattern_index();

}  // namespace envdoctor::knowledge
