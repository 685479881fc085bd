#pragma once
// Which cause the words of a text point to: a linear model over single words and kinds of symptoms, learned from labelled
// reports (see learn_resemblance.py). It is asked only where the checks find no cause.
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

// Counts the words of a text, of which it looks at the first 256 KiB, and the kinds of its symptoms.
class ResemblingWords {
 public:
  void line(std::string_view line);
  // A kind counts once: "missing", "loaded-driver".
  void symptom(std::string_view class_, std::string_view subject);
  [[nodiscard]] Resemblance likeliest() const;

 private:
  std::map<std::uint32_t, std::uint32_t> counts_{};  // row of the table -> times
  std::size_t bytes_ = 0;
};

}  // namespace envdoctor::knowledge
