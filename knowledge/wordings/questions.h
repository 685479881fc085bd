#pragma once
// What would decide where no cause was found, by what a text speaks of (questions.json).
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// One of its words must stand in the text, and one of `also` where there are any.
struct Question {
  std::string name{};
  std::vector<std::string> words{}, also{};
  std::string known{};    // name of the fact that answers it; empty: none does
  std::string missing{};  // what is to be found out, in words
  std::string command{};  // whose output tells it
};

// In the order in which they are asked.
const std::vector<Question>& questions();

// The words of all questions that stand in a text, as the table writes them. Takes a time linear in the text.
std::set<std::string> question_words_in(std::string_view text);

}  // namespace envdoctor::knowledge
