#pragma once
// Searches for many words at once.
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace envdoctor::knowledge {

// Arrays of plain values as bytes, one after the other: the build embeds them in the program, which reads them in
// place.
// Appends an array; the next one is aligned for any type.
template <class Items>
void append_array(std::string& bytes, const Items& items) {
  static_assert(std::is_trivially_copyable_v<typename Items::value_type>);
  const std::uint64_t size = items.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(reinterpret_cast<const char*>(items.data()), size * sizeof items[0]);
  bytes.append(-bytes.size() % sizeof size, '\0');
}

// Removes the next array from `bytes`, which must be 8-byte aligned and outlive the result.
template <class Item>
std::span<const Item> take_array(std::string_view& bytes) {
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  const std::span items(reinterpret_cast<const Item*>(bytes.data() + sizeof size), size);
  bytes.remove_prefix(sizeof size + (size * sizeof(Item) + 7) / 8 * 8);
  return items;
}

// Finds which of many words occur in a text in one pass: four characters at a time are looked up in a small table, and
// where one of the words has these four, the word is compared.
class LiteralSearch {
 public:
  struct Word {
    std::string_view text{};  // at least four characters
    bool fold = false;        // in upper or lower case
  };
  // The search tables as bytes; `words[i]` is reported as i.
  static std::string tables(const std::vector<Word>& words);
  // Reads the tables from `bytes`, which must outlive the search.
  explicit LiteralSearch(std::string_view& bytes);

  // Calls `hit(i, at)` for each place `at` where the word i occurs.
  template <class Hit>
  void each(std::string_view text, Hit hit) const {
    for (std::size_t at = next_mark(text, 0); at < text.size(); at = next_mark(text, at + 1)) {
      const std::uint32_t gram = folded<std::uint32_t>(text.data() + at);
      const std::uint32_t in = slot(gram);
      const std::uint32_t end = first_[in + 1];
      const Window* compared = nullptr;  // several rows may have the same word: it is compared once
      bool same = false;
      for (std::uint32_t i = first_[in]; i < end; ++i) {
        if (grams_[i] != gram) continue;
        const Window& one = windows_[i];
        if (compared == nullptr || compared->begin != one.begin)
          same = one.offset <= at && starts(text.substr(at - one.offset), one);
        compared = &one;
        if (same) hit(one.word, at - one.offset);
      }
    }
  }

 private:
  static constexpr std::size_t gram_size = 4;
  static constexpr unsigned mark_bits = 18;  // 32 KiB, a typical L1 cache
  static constexpr unsigned slot_bits = 12;
  struct Window {  // the four characters by which a word is found
    std::uint32_t offset = 0;
    std::uint32_t word = 0;
    std::uint32_t begin = 0;  // of the word in letters_, which holds each word once
    std::uint32_t size = 0;
    std::uint64_t start = 0;       // the first characters of the word, folded
    std::uint64_t start_mask = 0;  // which of these eight a shorter word has
    std::uint64_t fold = 0;
  };

  // Characters as one number, in lower case (some signs change too: the word is compared afterwards).
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
    if (text.size() >= sizeof one.start && ((folded<std::uint64_t>(text.data()) ^ one.start) & one.start_mask) != 0)
      return false;
    return same(text.data(), one);
  }
  [[nodiscard]] bool same(const char* text, const Window& one) const;

  std::span<const char> letters_{};         // all words
  std::span<const std::uint64_t> marks_{};  // a bit for each gram, by its hash
  std::span<const std::uint32_t> first_{};  // the grams of each slot
  std::span<const std::uint32_t> grams_{};  // by slot
  std::span<const Window> windows_{};       // of each gram
};

}  // namespace envdoctor::knowledge
