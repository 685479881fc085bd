#pragma once
#include <string>

namespace envdoctor::knowledge {

// The words of a table of words ("plain_words", "report_words"), sorted, each followed by a newline. The build makes
// it, so that no start has to read the table.
std::string word_list_index(const char* table);

}  // namespace envdoctor::knowledge
