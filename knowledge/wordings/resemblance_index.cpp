#include "knowledge/wordings/resemblance_index.h"

#include <bit>
#include <charconv>
#include <vector>

#include "knowledge/table_rows.h"
#include "knowledge/wordings/literal_search.h"

namespace envdoctor::knowledge {
namespace {

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
std::uint32_t hash_of(std::string_view word) {
  std::uint32_t hash = 2166136261U;
  for (const unsigned char c : word) hash = (hash ^ c) * 16777619U;
  return hash;
}

// "3:120 17:-44"
std::vector<ResemblanceIndex::Weight> weights_of(const Row& row, std::size_t causes) {
  std::vector<ResemblanceIndex::Weight> all;
  const std::string text = row.text("weights");
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    ResemblanceIndex::Weight one;
    const auto first = std::from_chars(at, end, one.cause);
    const auto second = first.ptr < end ? std::from_chars(first.ptr + 1, end, one.value) : first;
    if (first.ec != std::errc() || second.ec != std::errc() || second.ptr <= first.ptr || one.cause >= causes)
      row.wrong("weights", "pairs of a cause and a weight");
    all.push_back(one);
    at = second.ptr + (second.ptr < end ? 1 : 0);
  }
  return all;
}

}  // namespace

ResemblanceIndex::ResemblanceIndex(std::string_view bytes)
    : causes(take_array<Cause>(bytes)),
      words(take_array<Word>(bytes)),
      weights(take_array<Weight>(bytes)),
      slots(take_array<std::uint32_t>(bytes)),
      letters(take_array<char>(bytes)) {}

std::optional<std::uint32_t> ResemblanceIndex::find(std::string_view word) const {
  for (std::uint32_t at = hash_of(word);; ++at) {
    const std::uint32_t found = slots[at % slots.size()];
    if (found == 0) return std::nullopt;
    if (text(words[found - 1]) == word) return found - 1;
  }
}

std::string resemblance_index() {
  std::vector<ResemblanceIndex::Cause> causes;
  std::vector<ResemblanceIndex::Word> words;
  std::vector<ResemblanceIndex::Weight> weights;
  std::string letters;
  const auto size_of = [](const auto& items) { return static_cast<std::uint32_t>(items.size()); };
  const auto place = [&](const std::string& text, auto one) {
    one.begin = size_of(letters);
    one.size = size_of(text);
    letters += text;
    return one;
  };
  const Table table("resemblance");
  for (const Row& row : table["causes"])
    causes.push_back(place(row.text("id"), ResemblanceIndex::Cause{.bias = static_cast<int>(row.number("bias"))}));
  for (const Row& row : table["words"]) {
    ResemblanceIndex::Word word{.rarity = static_cast<std::uint32_t>(row.number("rarity")),
                                .weights_begin = size_of(weights)};
    for (const auto& weight : weights_of(row, causes.size())) weights.push_back(weight);
    word.weights_end = size_of(weights);
    words.push_back(place(row.text("word"), word));
  }
  std::vector<std::uint32_t> slots(std::bit_ceil(2 * words.size() + 1), 0);  // at least half of them stay empty
  for (std::uint32_t row = 0; row < words.size(); ++row) {
    std::size_t at = hash_of({letters.data() + words[row].begin, words[row].size}) % slots.size();
    while (slots[at] != 0) at = (at + 1) % slots.size();
    slots[at] = row + 1;
  }
  std::string all;
  append_array(all, causes);
  append_array(all, words);
  append_array(all, weights);
  append_array(all, slots);
  append_array(all, letters);
  return all;
}

}  // namespace envdoctor::knowledge
