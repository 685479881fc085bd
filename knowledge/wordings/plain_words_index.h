#pragma once
#include <string>

namespace envdoctor::knowledge {

// The words of plain_words.json, sorted, each followed by a newline. The build makes it, so that no start has to
// read the table.
std::string plain_words_index();

}  // namespace envdoctor::knowledge
