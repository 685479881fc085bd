#include "knowledge/wordings/literal_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>

#include "knowledge/lower_case.h"

namespace envdoctor::knowledge {

std::string LiteralSearch::tables(const std::vector<Word>& words) {
  // Each word is found by its four adjacent characters that the fewest words contain: what is rare among the words is
  // rarer still in a log.
  constexpr unsigned few_bits = 14;  // a count that is sometimes too high does no harm
  const auto few = [](std::uint32_t gram) { return mixed(gram) >> (32U - few_bits); };
  std::vector<std::uint16_t> holders(std::size_t{1} << few_bits);
  for (const auto& [word, fold] : words) {
    for (std::size_t at = 0; at + gram_size <= word.size(); ++at)
      ++holders[few(folded<std::uint32_t>(word.data() + at))];
  }
  std::string letters;
  std::vector<std::uint64_t> marks((std::size_t{1} << mark_bits) / 64);
  std::vector<std::uint32_t> first((std::size_t{1} << slot_bits) + 1);
  std::vector<std::pair<std::uint32_t, Window>> found;
  std::map<std::pair<std::string, bool>, std::uint32_t> begins;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    const auto [word, fold] = words[i];
    if (word.size() < gram_size) continue;
    const std::string searched = fold ? lower_case(word) : std::string(word);
    const auto [begin, is_new] = begins.try_emplace({searched, fold}, static_cast<std::uint32_t>(letters.size()));
    Window best{.word = i, .begin = begin->second, .size = static_cast<std::uint32_t>(word.size()), .fold = fold};
    if (is_new) letters += searched;
    std::array<char, sizeof best.start> start{};
    word.copy(start.data(), start.size());
    best.start = folded<std::uint64_t>(start.data());
    best.start_mask = ~std::uint64_t{0} >> (word.size() < sizeof start ? 8 * (sizeof start - word.size()) : 0);
    std::uint32_t rarest = 0;
    for (std::uint32_t at = 0, fewest = 0; at + gram_size <= word.size(); ++at) {
      const auto gram = folded<std::uint32_t>(word.data() + at);
      if (at > 0 && holders[few(gram)] >= fewest) continue;
      fewest = holders[few(gram)];
      rarest = gram;
      best.offset = at;
    }
    found.emplace_back(rarest, best);
    marks[mark(rarest) / 64] |= std::uint64_t{1} << mark(rarest) % 64;
    ++first[slot(rarest) + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::ranges::stable_sort(found, {}, [](const auto& one) { return std::pair(slot(one.first), one.second.begin); });
  std::vector<std::uint32_t> grams;
  std::vector<Window> windows;
  for (const auto& [gram, window] : found) {
    grams.push_back(gram);
    windows.push_back(window);
  }
  std::string bytes;
  append_array(bytes, letters);
  append_array(bytes, marks);
  append_array(bytes, first);
  append_array(bytes, grams);
  append_array(bytes, windows);
  return bytes;
}

LiteralSearch::LiteralSearch(std::string_view& bytes)
    : letters_(take_array<char>(bytes)),
      marks_(take_array<std::uint64_t>(bytes)),
      first_(take_array<std::uint32_t>(bytes)),
      grams_(take_array<std::uint32_t>(bytes)),
      windows_(take_array<Window>(bytes)) {}

std::size_t LiteralSearch::next_mark(std::string_view text, std::size_t at) const {
  static_assert(std::endian::native == std::endian::little);
  // Checks four places together, with one branch, because usually none matches.
  for (; at + 8 <= text.size(); at += 4) {
    const auto eight = folded<std::uint64_t>(text.data() + at);
    const auto there = [this, eight](unsigned i) { return marked(static_cast<std::uint32_t>(eight >> 8 * i)) << i; };
    const std::uint64_t found = there(0) | there(1) | there(2) | there(3);
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found));
  }
  for (; at + gram_size <= text.size(); ++at) {
    if (marked(folded<std::uint32_t>(text.data() + at)) != 0) return at;
  }
  return text.size();
}

bool LiteralSearch::same(const char* text, const Window& one) const {
  const char* wanted = letters_.data() + one.begin;
  if (one.fold == 0) return std::memcmp(text, wanted, one.size) == 0;
  unsigned char different = 0;  // without an early exit, so that the compiler vectorises it
  for (std::size_t i = 0; i < one.size; ++i) different |= static_cast<unsigned char>(wanted[i] ^ lower_case(text[i]));
  return different == 0;
}

}  // namespace envdoctor::knowledge
