#pragma once
// The questions that would lead further where no cause was found, by the text's topics (questions.json).
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// The text must contain one of its words, and one of `also` if there are any.
struct Question {
  std::string name{};
  std::vector<std::string> words{}, also{};
  std::string known{};    // name of the fact that answers it; empty: none
  std::string missing{};  // the missing fact, in words
  std::string command{};  // whose output shows it
};

// In the order in which they are asked.
const std::vector<Question>& questions();

// The words of all questions that occur in a text, as written in the table. Takes linear time.
std::set<std::string> question_words_in(std::string_view text);

}  // namespace envdoctor::knowledge
