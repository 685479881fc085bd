#pragma once
// The words of resemblance.json and what they weigh, as arrays that are searched where they lie. The build makes them,
// so that no start has to read the table.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

struct ResemblanceIndex {
  struct Cause {
    std::uint32_t begin = 0, size = 0;  // of its id in `letters`
    std::int32_t bias = 0;              // in hundredths, as all numbers here
  };
  struct Weight {
    std::uint16_t cause = 0;
    std::int16_t value = 0;
  };
  struct Word {
    std::uint32_t begin = 0, size = 0;  // in `letters`
    std::uint32_t rarity = 0;
    std::uint32_t weights_begin = 0, weights_end = 0;
  };

  // Reads what resemblance_index() wrote, which outlives it.
  explicit ResemblanceIndex(std::string_view bytes);

  // The row of a word in `words`; none: the table doesn't hold it.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view word) const;
  template <class Named>
  [[nodiscard]] std::string_view text(const Named& one) const {
    return {letters.data() + one.begin, one.size};
  }

  std::span<const Cause> causes{};
  std::span<const Word> words{};
  std::span<const Weight> weights{};
  std::span<const std::uint32_t> slots{};  // by the hash of a word: its row and one, 0: none; as many as a power of two
  std::span<const char> letters{};
};

// Of the table as it is now. Throws std::runtime_error naming a row that is wrong.
std::string resemblance_index();

}  // namespace envdoctor::knowledge
