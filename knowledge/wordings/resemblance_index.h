#pragma once
// The words of resemblance.json and their weights, as arrays that are searched in place. The build makes them,
// so that no start has to read the table.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

struct ResemblanceIndex {
  struct Cause {
    std::uint32_t begin = 0, size = 0;  // its id's place in `letters`
    std::int32_t bias = 0;              // in hundredths, like all numbers here
  };
  struct Weight {
    std::uint16_t cause = 0;
    std::int16_t value = 0;
  };
  struct Word {
    std::uint32_t begin = 0, size = 0;  // place in `letters`
    std::uint32_t rarity = 0;
    std::uint32_t weights_begin = 0, weights_end = 0;
  };

  // Reads the output of resemblance_index(), which must outlive it.
  explicit ResemblanceIndex(std::string_view bytes);

  // The row of a word in `words`; none: not in the table.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view word) const;
  template <class Named>
  [[nodiscard]] std::string_view text(const Named& one) const {
    return {letters.data() + one.begin, one.size};
  }

  std::span<const Cause> causes{};
  std::span<const Word> words{};
  std::span<const Weight> weights{};
  std::span<const std::uint32_t>
      slots{};  // by the hash of a word: its row plus one, 0: empty; the size is a power of two
  std::span<const char> letters{};
};

// Built from the current table. Throws std::runtime_error naming an invalid row.
std::string resemblance_index();

}  // namespace envdoctor::knowledge
