#pragma once
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

// The words of plain_words.json, sorted, each followed by a newline. The build makes it, so that no start has to
// read the table.
std::string plain_words_index();

// Whether the sorted lines contain this one.
bool holds_line(std::string_view lines, std::string_view line);

}  // namespace envdoctor::knowledge
