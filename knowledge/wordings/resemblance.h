#pragma once
// Which cause the words of a text indicate: a linear model over single words and kinds of symptoms, learned from
// labelled reports (see learn_resemblance.py). It is used only where the checks find no cause.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct Resemblance {
  std::string id{};                  // of a diagnosis, or "healthy"; empty: the text has no known word
  double share = 0;                  // 0 to 1: its probability among all causes
  std::vector<std::string> words{};  // the words of the text that weigh most for it, up to five
};

// Takes each word of the first 256 KiB of a text once, those of lines that complain a second time, and the kinds of its
// symptoms.
class ResemblingWords {
 public:
  void line(std::string_view line);
  // Of a kind: "missing", "loaded-driver".
  void symptom(std::string_view class_, std::string_view subject);
  [[nodiscard]] Resemblance likeliest() const;

 private:
  std::set<std::uint32_t> rows_{};  // of the table
  std::set<std::string> seen_{};    // the words of each line
  std::size_t bytes_ = 0;
};

}  // namespace envdoctor::knowledge
