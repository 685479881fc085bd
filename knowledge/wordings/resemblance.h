#pragma once
// Which cause the words of a text point to: a linear model over single words, learned from labelled reports (see
// learn_resemblance.py). It is asked only where no line of a text is known.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct Resemblance {
  std::string id{};                  // of a diagnosis, or "healthy"; empty: the text holds no known word
  double share = 0;                  // 0 to 1: how likely against all other causes
  std::vector<std::string> words{};  // those of the text that count most for it, up to five
};

// Counts the words of a text, of which it looks at the first 256 KiB.
class ResemblingWords {
 public:
  void line(std::string_view line);
  [[nodiscard]] Resemblance likeliest() const;

 private:
  std::map<std::uint32_t, std::uint32_t> counts_{};  // row of the table -> times
  std::size_t bytes_ = 0;
};

}  // namespace envdoctor::knowledge
