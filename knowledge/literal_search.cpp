#include <algorithm>
#include <map>
#include <numeric>

#include "knowledge/literals.h"
#include "knowledge/lower_case.h"

namespace envdoctor::knowledge {

LiteralSearch::LiteralSearch(const std::vector<std::string>& words) : words_(words) {
  // Each word is found by those four of its characters that fewest words hold: what is rare among the words is rarer
  // still in a log.
  std::map<std::uint32_t, std::uint32_t> holders;
  for (const std::string& word : words_) {
    for (std::size_t at = 0; at + gram_size <= word.size(); ++at) ++holders[folded_gram(word.data() + at)];
  }
  for (std::uint32_t i = 0; i < words_.size(); ++i) {
    const std::string& word = words_[i];
    if (word.size() < gram_size) continue;
    Window best;
    for (std::uint32_t at = 0; at + gram_size <= word.size(); ++at) {
      const std::uint32_t gram = folded_gram(word.data() + at);
      if (at == 0 || holders[gram] < holders[best.gram]) best = {.gram = gram, .offset = at, .word = i};
    }
    windows_.push_back(best);
    const std::uint32_t mark = mixed(best.gram) >> (32U - mark_bits);
    marks_[mark / 64] |= std::uint64_t{1} << (mark % 64);
  }
  std::ranges::stable_sort(windows_, {}, [](const Window& one) { return slot(one.gram); });
  for (const Window& one : windows_) ++first_[slot(one.gram) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

bool LiteralSearch::stands_at(std::uint32_t word, std::string_view text) const {
  const std::string& wanted = words_[word];
  return text.size() >= wanted.size() &&
         std::equal(wanted.begin(), wanted.end(), text.begin(), [](char a, char b) { return a == lower_case(b); });
}

}  // namespace envdoctor::knowledge
