#pragma once
// The index that finds log patterns. The build makes it from our own table, to save time at start; for a table that
// replaces ours it is made at first use.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "knowledge/wordings/literal_search.h"
#include "knowledge/wordings/literals.h"

namespace envdoctor::knowledge {

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
  };

  // Reads the output of pattern_index(), which must outlive it.
  explicit PatternIndex(std::string_view bytes);

  // Whether the characters around the word at `at` are allowed.
  [[nodiscard]] bool fits(const Word& word, std::string_view line, std::size_t at) const {
    const std::size_t end = at + word.size;
    return (word.in_front == 0 || (at > 0 && sets[word.in_front][index_of(line[at - 1])])) &&
           (word.behind == 0 || (end < line.size() && sets[word.behind][index_of(line[end])]));
  }
  // Whether one of the word's further runs is near it and, for a pattern at the line's start, the start as well. For
  // a word with `fold` the line is in lower case.
  [[nodiscard]] bool may_match(const Word& word, std::string_view line, std::size_t at) const;

  std::span<const Word> words{};  // indexed by the search's results
  std::span<const Characters> sets{};
  std::span<const Run> runs{};
  std::span<const char> letters{};
  LiteralSearch search;
};

// Built from the current table of wordings. Throws std::runtime_error naming a row that can't be searched for.
std::string pattern_index();

}  // namespace envdoctor::knowledge
