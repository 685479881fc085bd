#pragma once
// The lines of a text that look most like what ended a program, and those that complain: by their form alone, whatever
// they speak of.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evidence/snapshot.h"
#include "knowledge/wordings/wordings.h"

namespace envdoctor {

class NotableLines {
 public:
  NotableLines();
  // `matcher` has matched the same line.
  void line(std::string_view line, std::int64_t number, const knowledge::LogMatcher& matcher);
  // Fills what was found: of lines at most five each, in the order of the text, each as long as a line may be for its
  // secrets to be found.
  void finish(ReadText& text);

 private:
  struct Kept {
    int weight = 0;
    std::int64_t number = 0;
    std::string text{};
  };
  void weigh(std::string_view line, std::int64_t number);
  void take_beginning(std::string_view line, std::int64_t number);

  std::size_t words_ = 0;  // the row of report_words() that holds the words of failure
  std::vector<Kept> kept_{};
  // Of a text with very many such lines its beginning and its end are weighed; the last ones wait here, in a ring.
  std::size_t offered_ = 0;
  std::vector<std::pair<std::int64_t, std::string>> last_{};
  std::string beginning_{};  // the first lines, as far as they are read for what they are about
  std::vector<TextLine> complaints_{};
};

// How much a line looks like the end of something that failed. 0: not at all.
int failure_weight(std::string_view line);

// Whether a sentence says that something isn't as it should be, or asks why: "it doesn't exist", "why is it so slow?",
// "exited with code 3".
bool complains(std::string_view line);

}  // namespace envdoctor
