#pragma once
// The lines of a text that look most like the error that ended a program, and complaints: judged by form only,
// not by subject.
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
  // Fills in the result: at most five lines of each kind, in the order of the text, each short enough for its
  // secrets to be detected.
  void finish(ReadText& text);

 private:
  struct Kept {
    int weight = 0;
    std::int64_t number = 0;
    std::string text{};
  };
  void weigh(std::string_view line, std::int64_t number);
  void take_beginning(std::string_view line, std::int64_t number);

  std::size_t words_ = 0;  // index of the words of failure in report_words()
  std::vector<Kept> kept_{};
  // If a text has very many such lines, only its beginning and its end are ranked; this ring buffer keeps the last
  // ones.
  std::size_t offered_ = 0;
  std::vector<std::pair<std::int64_t, std::string>> last_{};
  std::string beginning_{};  // the first lines, which show the text's topic
  std::vector<TextLine> complaints_{};
};

// How much a line looks like the end of a failed program. 0: not at all.
int failure_weight(std::string_view line);

// Whether a sentence reports a problem or asks for the reason: "it doesn't exist", "why is it so slow?",
// "exited with code 3".
bool complains(std::string_view line);

}  // namespace envdoctor
