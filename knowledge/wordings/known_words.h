#pragma once
#include <string_view>

namespace envdoctor::knowledge {

// Whether programs, reports and documents use this word, in upper or lower case, letters only: a word of
// report_words.json, plain_words.json or env_vars.json, or one of these with a suffix. Names of people, hosts and
// projects are seldom among these.
bool is_known_word(std::string_view word);

// The same without plain English words: only words of reports and of variable names.
bool is_technical_word(std::string_view word);

}  // namespace envdoctor::knowledge
