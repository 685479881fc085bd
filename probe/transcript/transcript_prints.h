#pragma once
// What a line of code will print: fixed words, answers to well-known questions, and what can't be known.
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "probe/transcript/transcript_calls.h"

namespace envdoctor {

struct PrintPart {
  std::string words{};                 // fixed, unless there is a question or the part is unknown
  std::optional<Question> question{};
  bool unknown = false;
};

using AnswersInLine = std::vector<std::pair<Question, std::string_view>>;

// A line of output that code announces.
struct AnnouncedLine {
  std::vector<PrintPart> parts{};
  bool echoed = false;  // the value of an expression, which only a prompt or a notebook shows

  // Whether its fixed words alone tell it from other lines.
  [[nodiscard]] bool labelled() const;
  // Whether it starts as `line` does, blanks aside.
  [[nodiscard]] bool may_be(std::string_view line) const;
  [[nodiscard]] bool asks() const;  // one of the well-known questions at least
  [[nodiscard]] bool asks_for_list() const;  // and nothing else
  [[nodiscard]] bool asks_for_version() const;
  // The questions with what `line` says to them, if it is this line.
  [[nodiscard]] std::optional<AnswersInLine> answers_in(std::string_view line) const;
};

// The variables of a program that hold the answer to a question.
using HeldAnswers = std::map<std::string, Question, std::less<>>;

// The lines that the statements of one line of Python print, in order; `echo`: as a prompt does, the value of a last
// statement that is an expression as well. Assignments go to `held`.
std::vector<AnnouncedLine> announced_by(std::string_view code, bool echo, HeldAnswers& held);

}  // namespace envdoctor
