#pragma once
// The output that a line of code will print: fixed words, results of well-known queries, and unknown parts.
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/transcript/transcript_calls.h"

namespace envdoctor {

struct PrintPart {
  std::string words{};  // fixed, unless there is a question or the part is unknown
  std::optional<Question> question{};
  bool unknown = false;
};

using AnswersInLine = std::vector<std::pair<Question, std::string_view>>;

// A line of output that code predicts.
struct AnnouncedLine {
  std::vector<PrintPart> parts{};
  bool echoed = false;  // the value of an expression, which only a prompt or a notebook shows

  // Whether its fixed words are enough to recognise it.
  [[nodiscard]] bool labelled() const;
  // Whether it starts as `line` does, ignoring blanks.
  [[nodiscard]] bool may_be(std::string_view line) const;
  [[nodiscard]] bool asks() const;           // at least one well-known query
  [[nodiscard]] bool asks_for_list() const;  // only a list
  [[nodiscard]] bool asks_for_version() const;
  // The queries with their results in `line`, if it is this line.
  [[nodiscard]] std::optional<AnswersInLine> answers_in(std::string_view line) const;
};

// The variables of a program that hold the result of a query.
using HeldAnswers = std::map<std::string, Question, std::less<>>;

// The lines that the statements of one line of Python print, in order; `echo`: like a prompt, also the value of a last
// statement that is an expression. Assignments go to `held`.
std::vector<AnnouncedLine> announced_by(std::string_view code, bool echo, HeldAnswers& held);

}  // namespace envdoctor
