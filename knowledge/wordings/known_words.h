#pragma once
#include <string_view>

namespace envdoctor::knowledge {

// Whether programs, reports and documents use this word, in any mixture of capitals, letters only: a word of
// resemblance.json, plain_words.json or env_vars.json, or one of these with an ending. Names of people, hosts and
// projects are seldom among them.
bool is_known_word(std::string_view word);

// The same without plain English: a word of reports and of variables' names.
bool is_technical_word(std::string_view word);

}  // namespace envdoctor::knowledge
